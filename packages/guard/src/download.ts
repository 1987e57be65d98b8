/**
 * Files that a view asks to save.
 *
 * @module
 */
import { decode, HOST_END, recordOf } from "@vitrine/protocol";

/** A file to save. */
export type Download = {
  /** A name that is safe on every system. */
  readonly name: string;
  readonly mimeType: string;
  /** Whether a double click may run it: warn the user. */
  readonly executable: boolean;
} & (
  | { readonly bytes: Uint8Array<ArrayBuffer> }
  /** A resource to be read from the view's own server, through its guard. */
  | { readonly uri: string }
);

/** Result of {@link readDownload}. */
export type Downloads =
  | { readonly ok: true; readonly files: Download[] }
  | {
      readonly ok: false;
      readonly code: "download-malformed" | "download-empty" | "download-too-large" | "base64-invalid";
      readonly message: string;
    };

/** Limits of {@link readDownload}. */
export interface DownloadLimits {
  /** Total size; 20 MB by default, about the size of one message. */
  maxBytes?: number | undefined;
  /** Number of files; 20 by default. */
  maxFiles?: number | undefined;
}

/**
 * Reads the `contents` of `ui/download-file`. Never throws.
 *
 * @example
 * ```ts source="./links/guard.examples.ts#readDownload"
 * const resource = { uri: "file:///../../report.csv", mimeType: "text/csv", text: "a,b" };
 * const downloads = readDownload([{ type: "resource", resource }]);
 * const names = downloads.ok ? downloads.files.map(({ name }) => name) : downloads.message;
 * // ["report.csv"]
 * ```
 */
export function readDownload(contents: unknown, limits: DownloadLimits = {}): Downloads {
  try {
    return read(contents, limits);
  } catch {
    return bad("download-malformed", "the contents could not be read");
  }
}

type BadDownload = Extract<Downloads, { ok: false }>;
const bad = (code: BadDownload["code"], message: string): BadDownload => ({ ok: false, code, message });

function read(contents: unknown, { maxBytes = 20_000_000, maxFiles = 20 }: DownloadLimits): Downloads {
  const decoded = decode(HOST_END.requests["ui/download-file"], { contents }, "params");
  if (!decoded.ok) return bad("download-malformed", decoded.message);
  const entries = decoded.value.contents;
  if (entries.length === 0) return bad("download-empty", "there is nothing to save");
  const tooLarge = bad("download-too-large", `more than ${maxFiles} files, or than ${maxBytes} bytes`);
  if (entries.length > maxFiles) return tooLarge;
  const files: Download[] = [];
  let left = maxBytes;
  for (const entry of entries) {
    const { mimeType = "application/octet-stream" } = entry.type === "resource" ? entry.resource : entry;
    const name = fileName(entry);
    const file = { name, mimeType, executable: EXECUTABLE.test(name) };
    if (entry.type === "resource_link") {
      files.push({ ...file, uri: entry.uri });
      continue;
    }
    const { resource } = entry;
    const isText = "text" in resource;
    // Before decoding, so that a huge one is refused cheaply.
    if (isText ? resource.text.length > left : resource.blob.length * 0.7 > left + 8) return tooLarge;
    const bytes = isText ? new TextEncoder().encode(resource.text) : fromBase64(resource.blob);
    if (!bytes) return bad("base64-invalid", `${name}: the blob is not base64`);
    left -= bytes.length;
    if (left < 0) return tooLarge;
    files.push({ ...file, bytes });
  }
  return { ok: true, files };
}

function fromBase64(blob: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    // A character per byte: the bytes stay as they are.
    return Uint8Array.from(atob(blob), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Maximum length; most file systems allow 255 bytes. */
const MAX_NAME = 240;
const EXECUTABLE =
  /\.(app|appimage|bash|bat|chm|cmd|com|command|cpl|desktop|dll|dmg|exe|hta|inf|jar|jse?|lnk|ms[cip]|pif|pkg|ps1|pyw?|reg|run|scf|scr|sh|terminal|url|vb[es]?|webloc|ws[fh]?)$/i;

/**
 * The file name for a content block: its own, or the end of its URI, made safe. A program cannot look like a
 * document: characters that hide an extension are removed, and only the last dot stays.
 *
 * @example
 * ```ts source="./links/guard.examples.ts#fileName"
 * const name = fileName({ type: "resource_link", uri: "note://1", name: "invoice.pdf\u202E.exe" });
 * // "invoice_pdf.exe"
 * ```
 */
export function fileName(block: unknown): string {
  try {
    const { name, uri, resource } = recordOf(block);
    const own = typeof name === "string" ? name : "";
    return safeName(own) || safeName(fromUri(uri ?? Object(resource).uri)) || "download";
  } catch {
    return "download";
  }
}

/**
 * A file name to show before saving, with a warning if it is a program.
 *
 * @example
 * ```ts source="./links/guard.examples.ts#warnedName"
 * const shown = warnedName("invoice_pdf.exe");
 * // "invoice_pdf.exe (a program: it runs when it is opened)"
 * ```
 */
export const warnedName = (name: string): string =>
  EXECUTABLE.test(name) ? `${name} (a program: it runs when it is opened)` : name;

function fromUri(uri: unknown): string {
  const path = String(uri ?? "").replace(/^[\w+.-]+:|[?#].*$/gs, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function safeName(text: string): string {
  const last =
    text
      .slice(-5000)
      .split(/[/\\]/)
      .findLast((part) => /[^.\s]/.test(part)) ?? "";
  let name = last
    .normalize("NFC")
    // Control characters, bidirectional overrides, invisible characters, unusual blanks, lone surrogates.
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu, "")
    .replace(/[<>:"|?*]/g, "_")
    .replace(/\s+/g, " ")
    .replace(/^[. ]+|[. ]+$/g, "");
  if (EXECUTABLE.test(name)) name = name.replace(/\.(?=.*\.)/g, "_");
  // Device names of Windows, with any extension.
  if (/^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])(\.|$)/i.test(name.replace(/ +(?=\.|$)/, "")))
    name = `_${name}`;
  const ending = /\.[^.]{1,20}$/.exec(name)?.[0] ?? "";
  const stem = [...name.slice(0, name.length - ending.length)].slice(0, MAX_NAME);
  while (new TextEncoder().encode(stem.join("") + ending).length > MAX_NAME) stem.pop();
  return (stem.join("") + ending).replace(/[. ]+$/, "");
}
