/** The package with the library of a single provider installed. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-libraries-"));
  const modules = join(folder, "node_modules");
  for (const name of ["protocol", "wire", "guard", "servers", "conversation"]) {
    const from = join(root, "packages", name);
    await cp(join(from, "dist"), join(modules, "@vitrine", name, "dist"), { recursive: true });
    await cp(join(from, "package.json"), join(modules, "@vitrine", name, "package.json"));
  }
  await mkdir(join(modules, "@ai-sdk"));
  for (const name of ["@cfworker", "@modelcontextprotocol", "@ai-sdk/openai-compatible"])
    await symlink(join(root, "node_modules", name), join(modules, name), "dir");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("lists a model without its library as unavailable, with the install command, and refuses to select it", async () => {
  const script = `
    import { Models } from "@vitrine/conversation";
    const provider = (name, type) => [name, { name, type, url: "http://127.0.0.1:9/v1", key: "k", models: ["m"] }];
    const providers = new Map([provider("openai", "openai"), provider("local", "compatible")]);
    const models = await Models.open({ settings: { providers, limits: {} }, folder: ${JSON.stringify(folder)} });
    const error = await models.choose("openai/m").catch(({ data, message }) => ({ code: data.code, message }));
    const { current } = await models.choose("local/m");
    console.log(JSON.stringify({ list: models.list(), error, current }));`;
  await writeFile(join(folder, "try.mjs"), script);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "try.mjs")]);
  const problem = "install its library (npm install @ai-sdk/openai), and restart";
  expect(JSON.parse(stdout)).toEqual({
    list: [
      { id: "openai/m", label: "m (openai)", problem },
      { id: "local/m", label: "m (local)" },
    ],
    error: { code: "model-not-installed", message: `openai/m: ${problem}` },
    current: "local/m",
  });
});
