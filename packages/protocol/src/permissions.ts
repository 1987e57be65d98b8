/**
 * From `_meta.ui.permissions` to the `allow` attribute of the view's frame (S09).
 *
 * @module
 */
import type { ResourcePermissions } from "./apps.js";

/** A browser feature that a view may ask for, by its name in the metadata. */
export type Permission = keyof ResourcePermissions;

/** The features that can be asked for, in the order of the attribute, with their names in Permissions Policy. */
export const PERMISSION_FEATURES = {
  camera: "camera",
  microphone: "microphone",
  geolocation: "geolocation",
  clipboardWrite: "clipboard-write",
} as const satisfies Record<Permission, string>;

/**
 * The `allow` attribute for a view's frame: the features that the metadata asks for and that `granted` lets
 * through. Only the four of {@link PERMISSION_FEATURES} can ever be in it (S09); all else is ignored, and
 * nothing in the metadata can make this throw. A feature is asked for by an object, as the specification has
 * it, or by `true`, as some servers write it.
 *
 * A feature named alone is for the origin of the frame's own `src`. Where a proxy frame stands between, both
 * frames need the attribute.
 *
 * @example
 * ```ts source="./permissions.examples.ts#allowAttribute"
 * const asked = { microphone: {}, clipboardWrite: {}, usb: {} };
 * const allow = allowAttribute(asked, (permission) => permission !== "microphone");
 * // allow is "clipboard-write"
 * ```
 */
export function allowAttribute(
  permissions: unknown,
  granted: (permission: Permission) => boolean = () => true,
): string {
  return (Object.keys(PERMISSION_FEATURES) as Permission[])
    .filter((permission) => asksFor(permissions, permission) && granted(permission))
    .map((permission) => PERMISSION_FEATURES[permission])
    .join("; ");
}

function asksFor(permissions: unknown, permission: Permission): boolean {
  try {
    // Own properties only: a polluted Object.prototype asks for nothing.
    if (typeof permissions !== "object" || permissions === null) return false;
    if (!Object.hasOwn(permissions, permission)) return false;
    const value: unknown = (permissions as Record<Permission, unknown>)[permission];
    return value === true || (typeof value === "object" && value !== null);
  } catch {
    return false;
  }
}
