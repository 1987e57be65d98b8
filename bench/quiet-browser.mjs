/**
 * A Chromium without a debugger on its frames. A driver attaches to every frame that has its own process,
 * stops it before it starts and follows everything it does. That costs more than the measured work, and only
 * hosts that isolate apps would pay for it.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CHROMIUM_ARGS, findChromium } from "../scripts/chromium.mjs";

const ARGS = [
  ...CHROMIUM_ARGS,
  "--headless",
  "--remote-debugging-pipe",
  "--hide-scrollbars",
  "--mute-audio",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
];

/** Starts the browser. */
export async function launchQuiet() {
  const executablePath = findChromium();
  if (!executablePath) throw new Error("no Chromium: run `node scripts/chromium.mjs` first");
  const profile = await mkdtemp(join(tmpdir(), "vitrine-bench-"));
  const child = spawn(executablePath, [...ARGS, `--user-data-dir=${profile}`], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const send = protocolOver(child.stdio[3], child.stdio[4], ended);
  return {
    send,
    openPage: (url) => openPage(send, url),
    async close() {
      await send("Browser.close").catch(() => child.kill());
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The DevTools protocol over a pair of pipes. */
function protocolOver(input, output, ended) {
  let next = 1;
  let received = "";
  const waiting = new Map();
  output.setEncoding("utf8").on("data", (chunk) => {
    const messages = (received + chunk).split("\0");
    received = messages.pop();
    for (const text of messages) {
      const { id, result, error } = JSON.parse(text);
      const { resolve, reject } = waiting.get(id) ?? {};
      waiting.delete(id);
      if (error) reject?.(new Error(error.message));
      else resolve?.(result);
    }
  });
  ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error("the browser ended"));
  });
  return (method, params = {}, sessionId = undefined) =>
    new Promise((resolve, reject) => {
      waiting.set(next, { resolve, reject });
      input.write(`${JSON.stringify({ id: next++, method, params, sessionId })}\0`);
    });
}

/** Opens a page in a new context: nothing is cached, and no process is left from the previous one. */
async function openPage(send, url) {
  const { browserContextId } = await send("Target.createBrowserContext");
  const { targetId } = await send("Target.createTarget", {
    url: "about:blank",
    browserContextId,
    width: 1000,
    height: 900,
  });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const evaluate = async (expression) => {
    const options = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await send("Runtime.evaluate", options, sessionId);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  await send("Page.navigate", { url }, sessionId);
  return {
    browserContextId,
    evaluate,
    send: (method, params) => send(method, params, sessionId),
    close: () => send("Target.disposeBrowserContext", { browserContextId }),
  };
}
