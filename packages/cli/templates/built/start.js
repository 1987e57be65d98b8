// `npm start`: builds the page, rebuilds it on every save, and opens the server in the workbench.
import { spawn } from "node:child_process";
import { build } from "vite";

/** @type {import("node:child_process").ChildProcess | undefined} */
let vitrine;

const watcher = await build({ logLevel: "warn", build: { watch: {} } });
if (!("on" in watcher)) throw new Error("vite does not watch");
watcher.on("event", ({ code }) => {
  if (code === "END" && !vitrine) open();
});

function open() {
  const words = ["dev", ".", ...process.argv.slice(2)];
  vitrine = spawn("vitrine", words, { stdio: "inherit", shell: process.platform === "win32" });
  vitrine.on("error", ({ message }) => end(1, `vitrine cannot be started: ${message}; try npm install`));
  vitrine.on("exit", (code) => end(code ?? 1));
}

/**
 * @param {number} code
 * @param {string} [why]
 */
function end(code, why) {
  if (why) process.stderr.write(`${why}\n`);
  process.exit(code);
}

// Vitrine ends with this process. Ctrl-C in a terminal reaches both; if only this process got the signal, pass it on after a while.
process.on("SIGINT", () => (vitrine ? setTimeout(() => vitrine?.kill("SIGINT"), 3000) : end(130)));
process.on("SIGTERM", () => vitrine?.kill("SIGTERM") ?? end(143));
process.on("SIGHUP", () => vitrine?.kill("SIGHUP") ?? end(129));
// npm does not forward every signal that ends it.
const parent = process.ppid;
setInterval(() => process.ppid === parent || (vitrine?.kill("SIGHUP") ?? end(129)), 1000).unref();
