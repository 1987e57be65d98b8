/**
 * Makes a view ready to be shown: finds its document, asks about its permissions, registers it with the sandbox.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { Refusal } from "@vitrine/host";
import {
  asksForPermission,
  isVisibleTo,
  type OpenedView,
  PERMISSION_FEATURES,
  type Permission,
  readToolUi,
  type Tool,
  type UiDocument,
  VitrineError,
} from "@vitrine/protocol";
import type { Sandbox } from "@vitrine/sandbox";
import type { GuardedServer } from "../servers/guarded-servers.js";
import type { WantedView } from "./page-session.js";

/**
 * What a page needs to show a view. What a server did wrong is told in `problem`, in place of a blank frame (C08): the
 * page then shows the result as text (C07).
 */
export async function prepareView(
  sandbox: Sandbox,
  view: string,
  { server, guard }: GuardedServer,
  wanted: WantedView,
  signal: AbortSignal,
): Promise<OpenedView> {
  await server.start();
  const { settings, upstream } = server;
  const tool = wanted.tool === undefined ? undefined : await findTool(guard, wanted.tool);
  const uri = wanted.uri ?? (await linkOf(server, tool));
  const opened: OpenedView = {
    view,
    server: settings.name,
    capabilities: upstream.capabilities,
    uri,
    ...(tool && { tool }),
  };
  const problem = (code: string, message: string): OpenedView => ({ ...opened, problem: { code, message } });
  if (uri === "") return problem("no-ui", `the tool "${wanted.tool}" has no UI`);
  if (wanted.uri !== undefined && !(await guard.resources.has(uri))) {
    throw new Refusal("resource-unknown", `the server does not name the resource ${uri}`);
  }
  const document = await server.document(uri);
  if (!document.ok) return problem(document.code, document.message);
  const granted = await askForPermissions(guard, opened, document, signal);
  try {
    const { html, meta } = document;
    const place = await sandbox.register({
      server: settings.name,
      html,
      meta,
      relax: settings.relax,
      grant: (permission) => granted.has(permission),
    });
    return { ...opened, place };
  } catch (error) {
    if (error instanceof VitrineError && error.code === "bad_resource")
      return problem("bad_resource", error.message);
    throw error;
  }
}

async function findTool(guard: GuardedServer["guard"], name: string): Promise<Tool> {
  const tool = await guard.tools.find(name);
  if (!tool) throw new Refusal("tool-unknown", `the server lists no tool "${name}"`);
  // C02: what the model may not call, nobody opens in its place.
  if (!isVisibleTo(tool, "model"))
    throw new Refusal("tool-not-visible", `"${name}" is for the server's own views alone`);
  return tool;
}

async function linkOf(server: GuardedServer["server"], tool: Tool | undefined): Promise<string> {
  const { resourceUri } = readToolUi(tool);
  if (resourceUri) return resourceUri;
  // A link that is no `ui://` URI is a UI all the same: one with a cause to show, or one that the operator maps (T09).
  const { views } = await server.catalogue();
  return views.find((view) => view.tool.name === tool?.name)?.uri ?? "";
}

/** S09: what the metadata asks for and the operator or the person grants; before it is shown, as it is in its policy. */
async function askForPermissions(
  guard: GuardedServer["guard"],
  { view }: OpenedView,
  { html, meta }: UiDocument & { ok: true },
  signal: AbortSignal,
): Promise<Set<Permission>> {
  const granted = new Set<Permission>();
  for (const permission of Object.keys(PERMISSION_FEATURES) as Permission[]) {
    if (!asksForPermission(meta.permissions?.[permission])) continue;
    // Another UI is asked about again.
    const fingerprint = createHash("sha256").update(html).digest("hex");
    if (await guard.permission(view, permission, signal, fingerprint)) granted.add(permission);
  }
  return granted;
}
