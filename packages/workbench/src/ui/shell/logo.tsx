/**
 * Vitrine's mark, as in the site icon.
 *
 * @module
 */

/** The mark. The name stands beside it. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect x="3" y="5" width="26" height="22" rx="4" />
      <path d="M3 11h26" />
      <path d="m11 16 5 7 5-7" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
