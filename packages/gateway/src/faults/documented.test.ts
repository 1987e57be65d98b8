/** Checks that docs/gateway/faults.md and the fault tests name the same faults. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = new URL(".", import.meta.url);
const TITLE = /^\s*it(?:\.runIf\(.*?\))?\(\s*"([^"]+)"/gm;

it("docs/gateway/faults.md names every fault test, and no other", () => {
  const files = readdirSync(folder).filter(
    (name) => name.endsWith(".test.ts") && name !== "documented.test.ts",
  );
  const tested = files.flatMap((name) =>
    [...readFileSync(new URL(name, folder), "utf8").matchAll(TITLE)].map(([, title]) => title),
  );
  const path = fileURLToPath(new URL("../../../../docs/gateway/faults.md", folder));
  const rows = readFileSync(path, "utf8").matchAll(/^\| .* \| `([^`]+)` \|$/gm);
  const documented = [...rows].map(([, title]) => title);
  expect(documented.toSorted()).toEqual(tested.toSorted());
  expect(documented.length).toBeGreaterThanOrEqual(30);
});
