/**
 * Finds the programs that tests need besides Node, or installs them where possible. Exits with 1 without a
 * browser; tests that need one of the others are skipped without it, and say so.
 */
import { ensureBubblewrap } from "./bubblewrap.mjs";
import { ensureChromium, ensureHeadlessShell } from "./chromium.mjs";
import { ensurePostgres } from "./postgres.mjs";
import { ensureProxies } from "./proxies.mjs";

try {
  console.log(`— browser: ${ensureChromium()}`);
  console.log(
    `— without a window: ${ensureHeadlessShell() ?? "none; the whole browser does its work, and takes longer"}`,
  );
} catch (error) {
  console.error(`${error.message}\nThe browser tests are not run: one failure.`);
  process.exitCode = 1;
}
for (const [name, ensure] of [
  ["bubblewrap", ensureBubblewrap],
  ["PostgreSQL", ensurePostgres],
  ["HAProxy and nginx", ensureProxies],
]) {
  try {
    console.log(`— ${name}: ${ensure() ?? "none; its tests are skipped"}`);
  } catch (error) {
    console.error(`— ${name}: ${error.message}; its tests are skipped`);
  }
}
