//#region views
import { UiResources, type Upstream } from "@vitrine/guard";
import { serveSandbox } from "@vitrine/sandbox/node";

const { sandbox } = await serveSandbox({
  secret: process.env.SANDBOX_SECRET ?? "",
  hosts: ["https://chat.example"],
  origin: "https://{role}-{label}.apps.example.com",
});

/** Registers the views of a server, and returns them by the names of their tools. */
export async function viewsOf(upstream: Upstream) {
  const views = new Map<string, { src: string; origin: string; html: string }>();
  for (const { tool, document } of await new UiResources(upstream).prefetch()) {
    if (!document.ok) continue;
    const { html, meta } = document;
    try {
      // Without `html`: the page sends the document. The policy comes from `meta`, whatever the page says.
      const { src, origin } = await sandbox.register({ server: upstream.server, meta });
      views.set(tool.name, { src, origin, html });
    } catch (error) {
      console.warn(`${tool.name} has no app: ${error}`); // A wrong view does not stop the others.
    }
  }
  return views;
}
//#endregion views
