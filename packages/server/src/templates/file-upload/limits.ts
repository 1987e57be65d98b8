/**
 * Limits on uploaded files, as a check and as text, for the page and for clients without one.
 *
 * @module
 */

/** Limits in the configuration. */
export interface FileLimits {
  /**
   * Accepted file types, as in HTML: extensions such as `.csv`, and types such as `text/csv` or `image/*`.
   * All by default.
   */
  readonly accept?: readonly string[] | undefined;
  /** Whether several files may be chosen; true by default. */
  readonly multiple?: boolean | undefined;
  /** Maximum number of files per upload; 100 by default. */
  readonly maxFiles?: number | undefined;
  /** Maximum bytes of one file; 5 MiB by default. */
  readonly maxBytes?: number | undefined;
  /** Maximum bytes of all files in one upload; 7 MiB by default, unlimited with `each`. */
  readonly maxTotalBytes?: number | undefined;
  /** Calls the tool once per file instead of once for all. */
  readonly each?: boolean | undefined;
}

/** Properties of a file that are known before it is read. */
export type FileFacts = Pick<File, "name" | "type" | "size">;

/** Formats a number for the user's locale. */
export type WriteNumber = (value: number, options?: Intl.NumberFormatOptions) => string;

/** Limits with all defaults filled in. */
export type WholeLimits = ReturnType<typeof limitsOf>;

/**
 * Fills in the defaults. 7 MiB are 9.8 million characters of base64: a server of the official SDK exits when
 * it gets more than 10 MiB at once by stdio.
 */
export function limitsOf({
  accept = [],
  multiple = true,
  maxFiles = 100,
  maxBytes = 5_242_880,
  each = false,
  maxTotalBytes = each ? 1 / 0 : 7_340_032,
}: FileLimits) {
  return {
    accept,
    maxFiles: multiple ? maxFiles : 1,
    maxBytes: Math.min(maxBytes, maxTotalBytes),
    maxTotalBytes,
  };
}

/** Formats a number of bytes. */
export function sizeInWords(bytes: number, number: WriteNumber): string {
  const power = bytes < 1000 ? 0 : bytes < 1e6 ? 1 : 2;
  return number(bytes / 1000 ** power, {
    style: "unit",
    unit: `${["", "kilo", "mega"][power]}byte`,
    unitDisplay: power ? "short" : "long",
    maximumFractionDigits: 1,
  });
}

const kinds = (accept: readonly string[]): string => accept.join(", ").replaceAll("/*", " files");

/** The limits as text: "Up to 5 files, 5.2 MB each, 7.3 MB in all: .csv, image files". */
export function limitsInWords(
  { accept, maxFiles, maxBytes, maxTotalBytes }: WholeLimits,
  number: WriteNumber,
): string {
  const size = (bytes: number): string => sizeInWords(bytes, number);
  const all = maxTotalBytes < maxBytes * maxFiles ? `, ${size(maxTotalBytes)} in all` : "";
  const many = `Up to ${number(maxFiles)} files, ${size(maxBytes)} each${all}`;
  const words = maxFiles > 1 ? many : `One file, up to ${size(maxBytes)}`;
  return accept[0] ? `${words}: ${kinds(accept)}` : words;
}

/** Why a file cannot be added, to follow its name in a sentence; undefined if it can. */
export function refusalOf(
  file: FileFacts,
  others: readonly FileFacts[],
  { accept, maxFiles, maxBytes, maxTotalBytes }: WholeLimits,
  written: (bytes: number) => string,
): string | undefined {
  const { size } = file;
  if (!size) return "is empty.";
  if (accept[0] && !accept.some((kind) => isOfKind(file, kind.toLowerCase())))
    return `is none of ${kinds(accept)}.`;
  if (size > maxBytes) return `is too large: ${written(size)} of ${written(maxBytes)} at most.`;
  if (others.length >= maxFiles) return "is one too many.";
  if (others.reduce((sum, other) => sum + other.size, size) > maxTotalBytes)
    return `is too much: ${written(maxTotalBytes)} in all at most.`;
  return undefined;
}

/** Matches like a browser: an extension, a type, or all types of a group. */
function isOfKind({ name, type }: FileFacts, kind: string): boolean {
  if (kind[0] === ".") return name.toLowerCase().endsWith(kind);
  return kind.endsWith("*") ? type.startsWith(kind.slice(0, -1)) : type === kind;
}
