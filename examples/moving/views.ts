//#region views
import { UiResources, type Upstream } from "@vitrine/guard";
import { serveSandbox } from "@vitrine/sandbox/node";

const { sandbox } = await serveSandbox({
  secret: process.env.SANDBOX_SECRET ?? "",
  hosts: ["https://chat.example"],
});

/** Registers the views of a server: by the names of their tools, what the page needs to show each. */
export async function viewsOf(upstream: Upstream) {
  const views = new Map<string, { src: string; origin: string; html: string }>();
  for (const { tool, document } of await new UiResources(upstream).prefetch()) {
    if (!document.ok) continue;
    const { html, meta } = document;
    // Without `html`: the page sends the document. The policy comes from `meta`, whatever the page says.
    const { src, origin } = await sandbox.register({ server: upstream.server, meta });
    views.set(tool.name, { src, origin, html });
  }
  return views;
}
//#endregion views
