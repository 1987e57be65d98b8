import type { SandboxedView, ViewRegistration } from "@vitrine/sandbox";
import { UiResources } from "./ui-resources.js";
import type { Upstream } from "./upstream.js";

interface Registry {
  register(view: ViewRegistration): Promise<SandboxedView>;
}

export async function uiResourcesExample(
  upstream: Upstream,
  sandbox: Registry,
  show: (text: string) => void,
) {
  const views: SandboxedView[] = [];
  //#region uiResources
  const resources = new UiResources(upstream);
  for (const { tool, document } of await resources.prefetch()) {
    if (document.ok) views.push(await sandbox.register({ server: upstream.server, ...document }));
    else show(`${tool.name} has no app: ${document.message}`);
  }
  //#endregion uiResources
  return views;
}
