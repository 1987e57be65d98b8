/**
 * Fetches the icons of servers, so that pages load nothing from third parties.
 *
 * @module
 */
import { INVALID_PARAMS, isRecord, VitrineError } from "@vitrine/protocol";
import { type Server, safeFetch } from "@vitrine/servers";
import { GatewayError } from "@vitrine/wire";

/** Limits: bytes of an icon, and milliseconds from connecting until it is complete. */
const LARGEST = 256_000;
const TIMEOUT = 10_000;
const IMAGE = /^image\/(png|jpe?g|gif|webp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/;

/** The parts of a server that tell of its icons. */
type NamesIcons = Pick<Server, "settings" | "status" | "catalogue">;

/**
 * An icon that the server itself or something in its catalogue names, as a `data:` URL. Only a
 * remote server's own origin is asked: a server that could name any address would reach the gateway's network, and
 * could send data in the address to others.
 *
 * @throws {VitrineError} `INVALID_PARAMS` if the server names no such icon, or it may not be fetched; `unsupported` if
 * it is no image, or too large
 * @throws {GatewayError} `server-failed` if it does not arrive in time; `address-forbidden` if it is somewhere else
 */
export async function iconOf(
  server: NamesIcons,
  src: string,
  signal: AbortSignal,
  timeout = TIMEOUT,
): Promise<string> {
  if (!(await isNamed(server, src))) throw new VitrineError(INVALID_PARAMS, "the server names no such icon");
  if (src.startsWith("data:")) return checkData(src);
  const { transport } = server.settings;
  const url = URL.canParse(src) ? new URL(src) : undefined;
  if (transport.type === "stdio" || url?.origin !== new URL(transport.url).origin)
    throw new VitrineError(
      INVALID_PARAMS,
      "an icon must be a data: URL, or come from the server's own origin",
    );
  // The operator's permission is for the server's own address.
  const { privateNetwork } = transport;
  const { fetch, close } = safeFetch({ url: transport.url, privateNetwork, message: LARGEST, timeout });
  const late = AbortSignal.timeout(timeout);
  try {
    // A redirect would leave the origin that was checked.
    const init = { headers: { accept: "image/*" }, redirect: "error" as const };
    const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, late]) });
    const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
    if (!response.ok || !IMAGE.test(type.trim()))
      throw new VitrineError("unsupported", `the icon is no image: HTTP ${response.status} ${type}`.trim());
    const bytes = Buffer.from(await response.arrayBuffer());
    return `data:${type.trim()};base64,${bytes.toString("base64")}`;
  } catch (error) {
    if (late.aborted && !signal.aborted)
      throw new GatewayError("server-failed", "the icon did not arrive in time", { cause: error });
    throw error;
  } finally {
    close();
  }
}

/** Whether the server, or something in its catalogue, has this icon. */
async function isNamed(server: NamesIcons, src: string): Promise<boolean> {
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
