/**
 * Saves files of a view.
 *
 * @module
 */

import { type Downloads, type HostHandlers, readDownload, type Upstream } from "@vitrine/guard";
import { INVALID_PARAMS, JsonText, type Result, VitrineError } from "@vitrine/protocol";

/**
 * A `downloadFile` handler: the browser saves the files as downloads, under safe names. Linked resources are
 * read from the view's server. The guard has already asked the user.
 *
 * @example
 * ```ts source="../frame.examples.ts#saveFiles"
 * const handlers: HostHandlers = { downloadFile: saveFiles(upstream) };
 * ```
 */
export function saveFiles(upstream?: Upstream): NonNullable<HostHandlers["downloadFile"]> {
  return async ({ contents }, { signal }) => {
    // All files are read before the first is saved, so that the view gets one outcome.
    const files = await Promise.all(
      filesOf(readDownload(contents)).map(async (file) => {
        if ("bytes" in file) return file;
        const [linked] = filesOf(await readLinked(upstream, file.uri, signal));
        return { ...file, bytes: linked && "bytes" in linked ? linked.bytes : new Uint8Array() };
      }),
    );
    for (const { name, bytes } of files) {
      // A type that browsers never display.
      const href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
      Object.assign(document.createElement("a"), { href, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000);
    }
  };
}

function filesOf(downloads: Downloads) {
  if (downloads.ok) return downloads.files;
  const { code, message } = downloads;
  throw new VitrineError(INVALID_PARAMS, message, { data: { code } });
}

async function readLinked(
  upstream: Upstream | undefined,
  uri: string,
  signal: AbortSignal,
): Promise<Downloads> {
  const answer = await upstream?.request("resources/read", { uri }, { signal });
  const result = (answer instanceof JsonText ? answer.parse() : answer) as
    | Result<"resources/read">
    | undefined;
  return readDownload(
    (result?.contents ?? []).slice(0, 1).map((resource) => ({ type: "resource", resource })),
  );
}
