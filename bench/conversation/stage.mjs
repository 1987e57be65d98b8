/**
 * The gateway with the built workbench in its own process, and its page in a browser without a debugger,
 * driven by code in the page.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectGateway } from "@vitrine/host/gateway";
import { WebSocket } from "ws";
import { startModel } from "./model-server.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Starts a model's server and a gateway that uses it; the gateway's only server is `bench`. */
export async function openConversationStage() {
  const model = await startModel();
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  const token = randomBytes(32).toString("base64url");
  const file = join(folder, "settings.json");
  const settings = {
    mcpServers: {
      bench: {
        command: process.execPath,
        args: [here("./app-server.mjs")],
        env: { REPORT_TO: `${model.origin}/report` },
        isolation: "process",
        start: "eager",
      },
    },
    model: { use: "local/bench", providers: { local: { url: model.url, models: ["bench"] } } },
    listen: { port: 0 },
    sandbox: { port: 0 },
    dataFolder: join(folder, "data"),
    users: [{ name: "bench", tokenHash: createHash("sha256").update(token).digest("hex") }],
    session: { perUser: 100 },
  };
  writeFileSync(file, JSON.stringify(settings));
  const words = ["--config", file, "--static", here("../../packages/workbench/dist/page")];
  const child = spawn(process.execPath, [here("../../packages/gateway/dist/main.js"), ...words], {
    stdio: ["ignore", "pipe", process.env.BENCH_LOG ? "inherit" : "ignore"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const origin = await new Promise((resolve, reject) => {
    let text = "";
    ended.then(() => reject(new Error("the gateway did not start: BENCH_LOG=1 shows why")));
    child.stdout.on("data", (data) => {
      text += data;
      const found = /→ (http:\S+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
  });
  const headers = { authorization: `Bearer ${token}`, origin, "content-type": "application/json" };
  return {
    model,
    pid: child.pid,
    /** A program that has the same user, for conversations without a page. */
    client() {
      class Socket extends WebSocket {
        constructor(url) {
          super(url, { headers, perMessageDeflate: false });
        }
      }
      return connectGateway({
        url: `${origin}/api/session`,
        fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, ...headers } }),
        WebSocket: Socket,
        storage: { getItem: () => null, setItem() {}, removeItem() {} },
      });
    },
    /** Opens the workbench in a new context of the browser: a conversation, or an empty one. */
    async page(browser, id) {
      const answer = await fetch(`${origin}/api/login-link`, { method: "POST", headers, body: "{}" });
      const { url } = await answer.json();
      const page = await browser.openPage(id === undefined ? url : `${url}#conversation=${id}`);
      // Navigation is not awaited, and code that is evaluated before it is over ends with it.
      for (
        let tries = 0;
        !(await page.evaluate(id === undefined ? IS_READY : IS_OPEN).catch(() => false));
        tries++
      ) {
        if (tries > 300) throw new Error("the workbench does not come up");
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await page.evaluate(IN_PAGE);
      return page;
    },
    async close() {
      child.kill("SIGTERM");
      await ended;
      model.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const IS_OPEN = `Boolean(document.querySelector(".conversation-inner article"))`;
const IS_READY = `Boolean(document.querySelector('textarea[placeholder*="bench"]'))`;

/** Actions in the page, through its field and buttons. */
const IN_PAGE = `
  window.bench = {
    /** Sends a message. Resolves with the time when the answer that ends with these words is complete. */
    async tell(text, end) {
      const area = document.querySelector('textarea[aria-label="Message"]');
      const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value");
      set.call(area, text);
      area.dispatchEvent(new Event("input", { bubbles: true }));
      // React renders the field before it handles keys.
      await new Promise((resolve) => setTimeout(resolve, 50));
      const began = Date.now();
      const done = this.answered(end);
      area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
      return { began, ended: await done };
    },
    answered: (end) =>
      new Promise((resolve, reject) => {
        const list = document.querySelector(".conversation-inner");
        const late = setTimeout(() => reject(new Error("no answer " + end + ": " + list.innerText.slice(-2000))), 60_000);
        const observer = new MutationObserver(() => {
          const last = [...list.querySelectorAll("article.model")].at(-1);
          if (last?.ariaBusy !== "false" || !last.querySelector(".markdown")?.textContent.endsWith(end)) return;
          clearTimeout(late);
          observer.disconnect();
          resolve(Date.now());
        });
        observer.observe(list, { subtree: true, childList: true, characterData: true, attributes: true });
      }),
    remove() {
      [...document.querySelectorAll('button[aria-label^="Remove draw"]')].at(-1).click();
    },
    /** The app may come after the text about it. */
    async lookAt(n) {
      let app;
      while (!(app = document.querySelectorAll("mcp-app")[n])) await new Promise((resolve) => setTimeout(resolve, 20));
      app.scrollIntoView({ block: "center" });
    },
  };
`;

/** Memory of a process in bytes (PSS). */
export function memoryOf(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** The processes of a browser that run pages. */
export async function renderers(browser) {
  const { processInfo } = await browser.send("SystemInfo.getProcessInfo");
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
}

/** Bytes of the page's own objects, after a garbage collection. */
export async function heapOf(browser, { browserContextId }) {
  const { targetInfos } = await browser.send("Target.getTargets");
  const target = targetInfos.find(
    (each) => each.type === "page" && each.browserContextId === browserContextId,
  );
  const { sessionId } = await browser.send("Target.attachToTarget", {
    targetId: target.targetId,
    flatten: true,
  });
  await browser.send("HeapProfiler.collectGarbage", {}, sessionId);
  const { usedSize } = await browser.send("Runtime.getHeapUsage", {}, sessionId);
  await browser.send("Target.detachFromTarget", { sessionId });
  return usedSize;
}
