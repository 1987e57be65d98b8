/**
 * A run of `vitrine render`: which apps, in which order, and which files are written.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { parse } from "node:path";
import { CliError } from "../exit.js";
import { type Rendered, renderTool, replayRecording, save } from "./app-page.js";
import { causeOf } from "./cause.js";
import { allTools, namedTools } from "./chosen-tools.js";
import { contactSheet } from "./contact-sheet.js";
import type { RenderPlan } from "./render-plan.js";
import type { KnownBefore, RenderReport, RenderResult } from "./render-result.js";
import type { Stage } from "./stage.js";

/** Options of a run. */
export interface RenderRunOptions {
  readonly plan: RenderPlan;
  /** The parsed arguments of the plan. */
  readonly given: Record<string, unknown> | undefined;
  readonly stage: Stage;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Called with the current activity. */
  readonly onstep: (step: string) => void;
  /** Called with facts that are known before an app is shown. */
  readonly onknown: (more: Partial<KnownBefore>) => void;
}

/** Renders one app, or several. */
export async function renderApps(options: RenderRunOptions): Promise<RenderResult | RenderReport> {
  const { plan, given, stage, startedAt, onstep, onknown } = options;
  onstep(`starting ${stage.server}`);
  const opening = stage.context();
  const summary = await stage.connect();
  const connectedAt = Date.now();
  const server = { name: summary.info?.name ?? stage.server, version: summary.info?.version ?? "" };
  onknown({ server, connected: connectedAt - startedAt });
  const catalogue = await stage.catalogue();
  const uriOf = (tool: string | undefined): string | undefined =>
    catalogue.views.find((view) => view.tool === tool)?.uri;
  const isSingle = !plan.all && plan.tools.length === 1;
  if (isSingle) onknown({ resourceUri: uriOf(plan.tools[0]) });
  const { wanted, skipped } = plan.all ? allTools(catalogue, plan) : namedTools(catalogue, plan, given);
  onstep("starting the browser");
  const context = await opening;
  const apps: Rendered[] = [];
  for (const { tool, arguments: input } of wanted) {
    onstep(`rendering ${tool}`);
    const isFirst = apps.length === 0;
    // Before the tool is called, so that the recording does not depend on the server's later behaviour.
    const uri = uriOf(tool);
    const document = plan.trace === undefined || !uri ? undefined : await stage.document(uri);
    apps.push(
      await renderTool(stage, plan, {
        tool,
        arguments: input,
        server,
        // The first turn started with the command; for the others the server is already connected.
        startedAt: isFirst ? startedAt : Date.now(),
        connectedAt: isFirst ? connectedAt : Date.now(),
        trace: traceOf(plan.trace, isSingle ? undefined : tool),
        document,
        isPictured: plan.screenshot !== undefined,
      }),
    );
  }
  const [first] = apps;
  if (isSingle && first) return pictured(first, plan.screenshot);
  const results = apps.map(({ result }) => result);
  if (plan.screenshot !== undefined && apps.length > 0)
    await save(plan.screenshot, await contactSheet(context, `${server.name} ${server.version}`, apps));
  const bad = results.filter(({ ok }) => !ok).map(({ tool }) => tool);
  const cause =
    results.length === 0
      ? causeOf({ code: "nothing-to-render", message: "No tool with a UI could be rendered." })
      : bad.length > 0
        ? causeOf({
            code: "some-failed",
            message: `${bad.length} of ${results.length} failed: ${bad.join(", ")}.`,
          })
        : undefined;
  return {
    ok: cause === undefined,
    ...(cause && { cause }),
    server,
    results,
    skipped,
    ...(plan.screenshot !== undefined && apps.length > 0 && { screenshot: plan.screenshot }),
  };
}

/** Plays a recording. */
export async function replayApp(
  { plan, stage, startedAt, onstep, onknown }: RenderRunOptions,
  file: string,
): Promise<RenderResult> {
  onstep(`playing ${file}`);
  const recording = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new CliError(
      "recording-invalid",
      `--replay ${file}: it cannot be read: ${Object(cause).code ?? cause}`,
    );
  });
  const summary = stage.server === "" ? undefined : await stage.connect();
  const connectedAt = summary && Date.now();
  const server = { name: summary?.info?.name ?? "", version: summary?.info?.version ?? "" };
  if (connectedAt !== undefined) onknown({ server, connected: connectedAt - startedAt });
  const rendered = await replayRecording(
    stage,
    plan,
    {
      tool: "",
      arguments: {},
      server,
      startedAt,
      connectedAt,
      trace: plan.trace,
      isPictured: plan.screenshot !== undefined,
    },
    recording,
  );
  return pictured(rendered, plan.screenshot);
}

async function pictured(
  { result, picture }: Rendered,
  screenshot: string | undefined,
): Promise<RenderResult> {
  if (screenshot === undefined || !picture) return result;
  await save(screenshot, picture);
  return { ...result, screenshot };
}

/** A separate file for each of several tools. */
function traceOf(file: string | undefined, tool: string | undefined): string | undefined {
  if (file === undefined || tool === undefined) return file;
  const { dir, name, ext } = parse(file);
  return `${dir && `${dir}/`}${name}.${tool.replace(/[^A-Za-z0-9._-]+/g, "-")}${ext}`;
}
