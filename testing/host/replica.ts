/** A replica of docs/hosts/back-ends.md as a process of its own: it registers and forgets views on request. */
import { serveShared } from "../../examples/chat/records.js";
import { folderStore } from "./folder-store.js";

const { sandbox, port } = await serveShared(folderStore(process.argv[2] ?? ""));
process.on("message", async ({ html, src }: { html?: string; src?: string }) => {
  if (src !== undefined) await sandbox.forget({ src });
  process.send?.(html === undefined ? {} : await sandbox.register({ server: "shop", html }));
});
process.send?.({ port });
