import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../testing/free-port.ts";
import { updateExample } from "./gateway/gateway.examples.js";

it("the documented example applies a change of the settings during the start", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-example-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "mcp.json");
  const common = {
    listen: { port: await freePort() },
    sandbox: { port: await freePort() },
    dataFolder: join(folder, "data"),
  };
  const write = async (name: string) => {
    const mcpServers = { [name]: { command: "node", start: "lazy" } };
    await writeFile(`${file}.draft`, JSON.stringify({ ...common, mcpServers }));
    // Atomically, because a partial file would be reported as a problem.
    await rename(`${file}.draft`, file);
  };
  await write("before");
  const said: string[] = [];
  let isStarted = false;
  const started = updateExample(file, (line) => said.push(line)).finally(() => (isStarted = true));
  // Until it has started: the last change comes after its first read of the file.
  for (let count = 0; !isStarted; count++) {
    await write(`during-${count}`);
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
  const { gateway, watch } = await started;
  onTestFinished(async () => {
    watch.close();
    await gateway.close();
  });
  const names = async () => {
    const { token } = gateway;
    const answer = await fetch(`http://127.0.0.1:${common.listen.port}/api/servers`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return answer.text();
  };
  await write("after");
  await expect.poll(names).toContain("after");
  expect(said).toEqual([]);
});
