/**
 * The programs that tests need besides Node: found, or installed where that can be done. Ends with 1 when there is no browser;
 * tests that need one of the others are skipped without it, and say so.
 */
import { ensureBubblewrap } from "./bubblewrap.mjs";
import { ensureChromium, ensureHeadlessShell } from "./chromium.mjs";
import { ensurePostgres } from "./postgres.mjs";

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
]) {
  try {
    console.log(`— ${name}: ${ensure() ?? "none; its tests are skipped"}`);
  } catch (error) {
    console.error(`— ${name}: ${error.message}; its tests are skipped`);
  }
}
