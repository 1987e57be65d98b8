/**
 * Fetches the icons of servers, so that pages load nothing from third parties.
 *
 * @module
 */
import { INVALID_PARAMS, isRecord, VitrineError } from "@vitrine/protocol";
import { type Server, safeFetch } from "@vitrine/servers";

/** Limits: bytes of an icon, and milliseconds for fetching it. */
const LARGEST = 256_000;
const TIMEOUT = 10_000;
const IMAGE = /^image\/(png|jpe?g|gif|webp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/;

/**
 * An icon that the server itself or something in its catalogue names, as a `data:` URL.
 *
 * @throws {VitrineError} `INVALID_PARAMS` if the server names no such icon, or it may not be fetched; `unsupported` if
 * it is no image, or too large
 */
export async function iconOf(server: Server, src: string, signal: AbortSignal): Promise<string> {
  if (!(await isNamed(server, src))) throw new VitrineError(INVALID_PARAMS, "the server names no such icon");
  if (src.startsWith("data:")) return checkData(src);
  const { transport } = server.settings;
  const own = transport.type === "stdio" ? undefined : new URL(transport.url);
  const url = URL.canParse(src) ? new URL(src) : undefined;
  const isOwn = url !== undefined && url.origin === own?.origin;
  if (!url || !(url.protocol === "https:" || isOwn))
    throw new VitrineError(INVALID_PARAMS, "an icon must come over https, or from the server's own origin");
  const { fetch, close } = safeFetch({
    url: url.href,
    // The operator's permission is for the server's own address.
    privateNetwork: isOwn && transport.type !== "stdio" && transport.privateNetwork,
    message: LARGEST,
    timeout: TIMEOUT,
  });
  try {
    const response = await fetch(url, { signal, headers: { accept: "image/*" } });
    const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
    if (!response.ok || !IMAGE.test(type.trim()))
      throw new VitrineError("unsupported", `the icon is no image: HTTP ${response.status} ${type}`.trim());
    const bytes = Buffer.from(await response.arrayBuffer());
    return `data:${type.trim()};base64,${bytes.toString("base64")}`;
  } finally {
    close();
  }
}

/** Whether the server, or something in its catalogue, has this icon. */
async function isNamed(server: Server, src: string): Promise<boolean> {
  const has = (thing: unknown): boolean => {
    const icons = isRecord(thing) ? thing["icons"] : undefined;
    return Array.isArray(icons) && icons.some((icon) => isRecord(icon) && icon["src"] === src);
  };
  if (has(server.status.info)) return true;
  const { tools, resources, templates, prompts } = await server.catalogue();
  return [...tools, ...resources, ...templates, ...prompts].some(has);
}

function checkData(src: string): string {
  const type = /^data:([^;,]*)/.exec(src)?.[1] ?? "";
  if (src.length <= 2 * LARGEST && IMAGE.test(type)) return src;
  throw new VitrineError("unsupported", "the icon is no image, or too large");
}
