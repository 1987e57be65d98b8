/**
 * Prepares a view: finds its document, asks about its permissions, and registers it with the sandbox.
 *
 * @module
 */
import { MAX_UI_BYTES, Refusal } from "@vitrine/guard";
import {
  isVisibleTo,
  type Permission,
  readEmbeddedUi,
  readToolUi,
  readViewProblem,
  type Tool,
  VitrineError,
} from "@vitrine/protocol";
import { documentHash } from "@vitrine/servers";
import type { OpenedView } from "@vitrine/wire";
import type { GuardedServer } from "../guard/guarded-servers.js";
import type { AppOrigins } from "./app-origins.js";
import type { WantedView } from "./page-views.js";

/**
 * Everything that a page needs to show a view. Errors of a server are reported in `problem` instead of
 * showing a blank frame: the page then shows the result as text.
 *
 * @param found called with the URI of the UI before any question about it, because a policy may name it
 */
export async function prepareView(
  origins: AppOrigins,
  view: string,
  { server, guard }: GuardedServer,
  wanted: WantedView,
  signal: AbortSignal,
  found: (uri: string) => void = () => {},
): Promise<OpenedView> {
  await server.start();
  const { narrow = [], dialects = [] } = wanted;
  const { settings, upstream } = server;
  const tool = wanted.tool === undefined ? undefined : await findTool(guard, wanted.tool);
  const link = wanted.uri ?? (await linkOf(server, tool));
  // A link wins, because it could be reviewed before the call.
  const embedded = link === "" ? readEmbeddedUi(wanted.result, { maxBytes: MAX_UI_BYTES }) : undefined;
  const uri = embedded?.uri ?? link;
  if (uri !== "") found(uri);
  const opened: OpenedView = {
    view,
    server: settings.name,
    identity: settings.identity,
    capabilities: upstream.capabilities,
    uri,
    ...(tool && { tool }),
    ...(narrow.length > 0 && { narrow }),
    ...(dialects.length > 0 && { dialects }),
  };
  const problem = (code: string, message: string): OpenedView => ({ ...opened, problem: { code, message } });
  if (uri === "") {
    const why = readViewProblem(tool);
    return why === undefined
      ? problem("no-ui", `the tool "${wanted.tool}" has no UI`)
      : problem("view-unreadable", `the server cannot read the UI of "${wanted.tool}": ${why}`);
  }
  if (wanted.uri !== undefined && !(await guard.resources.has(uri))) {
    throw new Refusal("resource-unknown", `the server does not list the resource ${uri}`);
  }
  const document = embedded?.document ?? (await server.document(uri));
  if (!document.ok) return problem(document.code, document.message);
  const { html, meta } = document;
  const spoken = [...document.dialects, ...dialects];
  const register = (grant: (permission: Permission) => boolean): ReturnType<AppOrigins["register"]> =>
    origins.register(settings, { html, meta, relax: settings.relax, narrow, dialects: spoken, grant });
  try {
    const wanted: Permission[] = [];
    // First without permissions: the user is not asked about a document that cannot be shown, or a permission
    // that it could not use.
    const place = await register((permission) => {
      wanted.push(permission);
      return false;
    });
    const hash = documentHash(document);
    const granted = await askForPermissions(guard, view, wanted, hash, signal);
    return { ...opened, hash, place: granted.size > 0 ? await register((each) => granted.has(each)) : place };
  } catch (error) {
    if (error instanceof VitrineError && error.code === "bad-resource")
      return problem("bad-resource", error.message);
    throw error;
  }
}

async function findTool(guard: GuardedServer["guard"], name: string): Promise<Tool> {
  const tool = await guard.tools.find(name);
  if (!tool) throw new Refusal("tool-unknown", `the server lists no tool "${name}"`);
  // A tool that the model may not call cannot be opened on its behalf either.
  if (!isVisibleTo(tool, "model"))
    throw new Refusal("tool-not-visible", `"${name}" is available only to the server's own views`);
  return tool;
}

async function linkOf(server: GuardedServer["server"], tool: Tool | undefined): Promise<string> {
  const { resourceUri } = readToolUi(tool);
  if (resourceUri) return resourceUri;
  // A link that is not a `ui://` URI still counts as a UI: it shows an error, or the operator maps its
  // scheme.
  const { views } = await server.catalogue();
  return views.find((view) => view.tool.name === tool?.name)?.uri ?? "";
}

/**
 * The permissions that the operator or the user grants. Asked before the view is shown, because they are part
 * of its policy.
 */
async function askForPermissions(
  guard: GuardedServer["guard"],
  view: string,
  wanted: readonly Permission[],
  hash: string | undefined,
  signal: AbortSignal,
): Promise<Set<Permission>> {
  const granted = new Set<Permission>();
  for (const permission of wanted) {
    // A changed UI is asked about again.
    if (await guard.permission(view, permission, signal, hash)) granted.add(permission);
  }
  return granted;
}
