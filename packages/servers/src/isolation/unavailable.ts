/**
 * Explains that no driver can isolate a server on this machine, and what to do about it.
 *
 * @module
 */
import { GatewayError } from "@vitrine/wire";

const UNRESTRICTED =
  'To run it without a sandbox, with the rights of the gateway\'s user, set "isolation": "process" for it (--isolation process on the command line)';
const CONTAINER =
  'or set "image" in its "isolation", with podman or docker installed (--isolation container --image NAME)';

/**
 * The error for the driver `auto` when none works.
 *
 * @param reason why bubblewrap does not work
 */
export function nothingIsolates(reason: string, platform: NodeJS.Platform): GatewayError {
  const why =
    platform === "linux" ? reason : `bubblewrap exists on Linux only, and this is ${nameOf(platform)}.`;
  const message = `The server is not started, because nothing here can isolate it: ${why} ${UNRESTRICTED}, ${CONTAINER}.`;
  return new GatewayError("isolation-unavailable", message, {
    data: { driver: "auto", platform, drivers: ["process", "container"] },
  });
}

/** The error for servers over standard streams on Windows. */
export const noPrograms = (): GatewayError =>
  new GatewayError(
    "isolation-unavailable",
    'Programs cannot be started as servers on Windows. Run the gateway in WSL 2, which is Linux, or use a server with a "url".',
    { data: { platform: "win32", drivers: [] } },
  );

const nameOf = (platform: NodeJS.Platform): string => (platform === "darwin" ? "macOS" : platform);
