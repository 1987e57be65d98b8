/** The guide's three nodes behind HAProxy: a page in a browser continues when the node that serves it is killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { recordOf } from "@vitrine/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { findPostgres } from "../../../scripts/postgres.mjs";
import { findHaproxy } from "../../../scripts/proxies.mjs";
import { sharedChromium } from "../../../testing/browser.ts";
import { freePort } from "../../../testing/free-port.ts";
import { WorkbenchPage } from "../../../testing/gateway/workbench-page.ts";
import { startPostgres, type TestPostgres } from "../../../testing/postgres.ts";
import { shardOf } from "./store/shards.js";

const path = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const VITRINE = path("packages/cli/bin/vitrine.mjs");
const FILE = path("deploy/local/gateway.json");
const NODES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
const TOKEN = randomBytes(32).toString("hex");
const SCHEMA = "killed";
const FORECAST = { server: "weather", title: "Weather forecast" };

describe.skipIf(!findHaproxy() || !findPostgres())("three nodes behind HAProxy", () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-killed-"));
  const nodes = new Map<string, ChildProcess>();
  let postgres: TestPostgres;
  let proxy: ChildProcess | undefined;
  let workbench: WorkbenchPage;
  let origin = "";
  let env: Record<string, string | undefined> = {};

  /** Starts a node with the guide's command, but for the ports. */
  async function start(host: string): Promise<void> {
    const child = spawn(
      process.execPath,
      [
        VITRINE,
        "serve",
        "--config",
        join(folder, "gateway.json"),
        "--host",
        host,
        "--data",
        join(folder, host),
      ],
      { env: { ...env, VITRINE_NODE: host }, stdio: ["ignore", "pipe", "pipe"] },
    );
    nodes.set(host, child);
    let said = "";
    await new Promise<void>((ready, failed) => {
      for (const stream of [child.stdout, child.stderr])
        stream?.on("data", (data) => {
          said = (said + data).slice(-10_000);
          if (said.includes("→")) ready();
        });
      child.once("exit", (code) => failed(new Error(`the node ended with ${code}: ${said}`)));
    });
  }

  async function end(child: ChildProcess | undefined): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  /** The address of the node that has the user. */
  const nodeOf = (user: string): string =>
    postgres
      .run(
        SCHEMA,
        `select address from vitrine_nodes n join vitrine_shards s on s.slot = n.slot and s.fence = n.fence
         where shard = ${shardOf(user)} and "expiresAt" > extract(epoch from clock_timestamp()) * 1000`,
      )
      .replace(/:\d+$/, "");

  beforeAll(async () => {
    const started = await startPostgres();
    if (!started) throw new Error("PostgreSQL did not start");
    postgres = started;
    const [pages, apps, between] = [await freePort(), await freePort(), await freePort()];
    origin = `http://localhost:${pages}`;
    const { mcpServers, ...written } = recordOf(parse(readFileSync(FILE, "utf8")));
    const settings = {
      ...written,
      listen: { origin, port: pages },
      sandbox: { ...recordOf(written["sandbox"]), port: apps },
      nodes: {
        ...recordOf(written["nodes"]),
        listen: `\${VITRINE_NODE}:${between}`,
        address: `\${VITRINE_NODE}:${between}`,
      },
      mcpServers: Object.fromEntries(
        Object.entries(recordOf(mcpServers)).map(([name, server]) => {
          const [program] = recordOf(server)["args"] as string[];
          return [name, { command: process.execPath, args: [resolve(dirname(FILE), `${program}`)] }];
        }),
      ),
    };
    writeFileSync(join(folder, "gateway.json"), JSON.stringify(settings));
    env = {
      PATH: process.env["PATH"],
      HOME: folder,
      VITRINE_DATABASE: postgres.schema(SCHEMA),
      VITRINE_KEY: randomBytes(32).toString("hex"),
      VITRINE_CLUSTER_SECRET: randomBytes(32).toString("hex"),
      VITRINE_TOKEN_ANA: TOKEN,
    };
    await Promise.all(NODES.map(start));
    const config = readFileSync(path("deploy/haproxy/haproxy.cfg"), "utf8")
      .replaceAll(":8090", `:${pages}`)
      .replaceAll(":8091", `:${apps}`);
    writeFileSync(join(folder, "haproxy.cfg"), config);
    const [NODE_1, NODE_2, NODE_3] = NODES;
    proxy = spawn(`${findHaproxy()}`, ["-f", join(folder, "haproxy.cfg")], {
      env: { ...process.env, BIND: "127.0.0.1", PAGES_HOST: `localhost:${pages}`, NODE_1, NODE_2, NODE_3 },
      stdio: "ignore",
    });
    while (!(await fetch(`${origin}/readyz`).catch(() => undefined))?.ok) await pause(100);
    const answer = await fetch(`${origin}/api/login-link`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, origin, "content-type": "application/json" },
      body: "{}",
    });
    const { url } = recordOf(await answer.json());
    const context = await (await sharedChromium()).newContext();
    workbench = await WorkbenchPage.open(context, `${url}`);
  });

  afterAll(async () => {
    await workbench?.page.context().close();
    for (const child of [...nodes.values(), proxy]) await end(child);
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it("a page continues within seconds when its node is killed, again and again, with everything there", async () => {
    await workbench.pick(FORECAST);
    await workbench.fill({ City: "Lisbon" });
    const card = await workbench.run(FORECAST.title);
    const app = await workbench.appIn(card);
    await app.getByRole("heading", { name: "Lisbon" }).waitFor();
    // Only a document that was never loaded again still has it.
    await app.evaluate(() => document.body.setAttribute("data-mark", "first"));
    const killed = new Set<string>();
    for (const city of ["Oslo", "Quito"]) {
      const host = nodeOf("ana");
      expect(NODES).toContain(host);
      expect([...killed]).not.toContain(host);
      killed.add(host);
      await end(nodes.get(host));
      // The app's own call, by another node.
      await expect
        .poll(
          async () => {
            await app.getByRole("textbox", { name: "Another city" }).fill(city);
            await app.getByRole("button", { name: "Show", exact: true }).click();
            return app.getByRole("heading", { name: city }).isVisible();
          },
          { timeout: 30_000, interval: 500 },
        )
        .toBe(true);
      expect(nodeOf("ana")).not.toBe(host);
      await expect.poll(() => workbench.page.locator("mcp-app iframe").count()).toBe(1);
    }
    expect(await app.evaluate(() => document.body.getAttribute("data-mark"))).toBe("first");
    // A reload shows the conversation, with the app and the state that it stored.
    await workbench.page.reload();
    await workbench.card(FORECAST.title).waitFor();
    const again = await workbench.appIn(workbench.card(FORECAST.title));
    await again.getByRole("heading", { name: "Quito" }).waitFor();
    expect(workbench.complaints.filter((text) => !/WebSocket|Failed to load resource/.test(text))).toEqual(
      [],
    );
  });
});
