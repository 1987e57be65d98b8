/**
 * The pages that may show apps.
 *
 * @module
 */
import { buildCsp, VitrineError } from "@vitrine/protocol";
import type { Origins } from "./origins.js";
import { matchesHost } from "./page/match-host.js";

/**
 * The origins of pages in the form of a policy. Each is one of these:
 *
 * - `https://chat.example`: this origin
 * - `https://*.acme.com`: every subdomain
 * - `tauri://localhost`, `chrome-extension://<id>`: this page of an application
 * - `vscode-webview:`, `file:`: every page of this scheme
 *
 * @throws {VitrineError} `invalid` for anything else, and for an origin of the sandbox itself
 */
export function readHosts(hosts: readonly string[], origins: Origins): string[] {
  const { rejected } = buildCsp(undefined, { frameAncestors: hosts });
  return hosts.map((host, index) => {
    // It would be missing in the policy, and no app would ever be shown.
    const unnamed = rejected.find(({ field }) => field === `frameAncestors[${index}]`);
    if (unnamed) throw new VitrineError("invalid", `the host ${host} ${unnamed.reason}`);
    // A browser compares its origin with this text.
    const isWeb = /^https?:/.test(host);
    if (isWeb && !isOrigin(host.replace("*.", "a.")))
      throw new VitrineError(
        "invalid",
        `a host must be an origin such as https://chat.example, but is "${host}"`,
      );
    // A host page on a sandbox origin would share it with an app.
    const isOwn =
      (isWeb && !host.includes("*") && origins.read(new URL(host).host) !== undefined) ||
      matchesHost(host, origins.of("proxy", "a".repeat(26)));
    if (isOwn) throw new VitrineError("invalid", `${host} is an app's own origin`);
    return host;
  });
}

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;
