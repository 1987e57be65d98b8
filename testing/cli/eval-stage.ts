/**
 * `vitrine eval` with a scripted model over the real wire, and real servers.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { type EvalSurroundings, evalCommand } from "../../packages/cli/src/eval/eval-command.ts";
import type { EvalOptions } from "../../packages/cli/src/eval/eval-plan.ts";
import type { EvalReport } from "../../packages/cli/src/eval/eval-report.ts";
import { Terminal } from "../../packages/cli/src/terminal.ts";
import { officialServer } from "../gateway/gateway-stage.ts";
import { type Script, type ScriptedModel, startScriptedModel } from "../model/scripted-model.ts";

/** The built program of a demo, for a settings file. */
export const demo = (name: string) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../packages/cli/dist/demos/${name}.js`, import.meta.url))],
});

/** An official example server, for a settings file. */
export const official = (name: string) => ({
  command: process.execPath,
  args: [officialServer(name), "--stdio"],
});

/** An entry of the model's list with a price. */
const PRICED = { id: "priced", pricing: { prompt: "0.000001", completion: "0.000002" } };

/** The output of a command. */
export interface EvalOutput {
  readonly code: number;
  readonly report: EvalReport;
}

/** A folder with a settings file, and a model that answers by a script. */
export class EvalStage {
  readonly folder: string;
  readonly model: ScriptedModel;
  readonly given: EvalSurroundings;

  private constructor(folder: string, model: ScriptedModel, given: EvalSurroundings) {
    this.folder = folder;
    this.model = model;
    this.given = given;
  }

  /** `answers` is called for every request to the model. */
  static async open(answers: Script, given: EvalSurroundings = {}): Promise<EvalStage> {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-eval-test-"));
    const list = [PRICED, { id: "unpriced" }];
    const model = await startScriptedModel([], { list, otherwise: answers });
    const stage = new EvalStage(folder, model, given);
    await stage.settings({});
    return stage;
  }

  get config(): string {
    return join(this.folder, "mcp.json");
  }

  /** Writes the settings file, with these servers; with the weather demo by default. */
  async settings(
    more: Readonly<Record<string, unknown>>,
    servers: object = { weather: demo("weather") },
  ): Promise<void> {
    const settings = {
      mcpServers: servers,
      model: { providers: { scripted: { url: this.model.url } } },
      ...more,
    };
    await writeFile(this.config, JSON.stringify(settings));
  }

  /** Writes an eval file. */
  async file(text: string): Promise<string> {
    const file = join(this.folder, "cases.yml");
    await writeFile(file, text);
    return file;
  }

  /** Runs the command; its output is JSON. */
  async run(text: string, options: EvalOptions = {}, servers: readonly string[] = []): Promise<EvalOutput> {
    const { code, out } = await this.print(text, { ...options, json: true }, servers);
    return { code, report: JSON.parse(out) };
  }

  /** Runs the command; its output is text. */
  async print(
    text: string,
    options: EvalOptions = {},
    servers: readonly string[] = [],
  ): Promise<{ code: number; out: string; err: string }> {
    const [out, err] = [new PassThrough({ encoding: "utf8" }), new PassThrough({ encoding: "utf8" })];
    const own = { config: this.config, data: join(this.folder, "data"), ...options };
    const code = await evalCommand(await this.file(text), servers, own, new Terminal(out, err), this.given);
    return { code, out: `${out.read() ?? ""}`, err: `${err.read() ?? ""}` };
  }

  async close(): Promise<void> {
    await this.model.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
