import { runInNewContext } from "node:vm";
import { viewScript } from "@vitrine/view/script";
import { describe, expect, it } from "vitest";

const HOSTILE = [
  "</script><script>alert(1)</script>",
  "</SCRIPT >",
  "<!-- <script>",
  "-->",
  "]]>",
  "\u2028\u2029",
  "\"; alert(1); '`$" + "{alert(1)}`",
  "\\",
  '\\"',
  "\u0000\r\n\t",
  "\ud800",
  "名前 🙂",
];

/** The script in its two parts: the runtime and the options. */
function parts(name: string, version: string): [runtime: string, own: string] {
  const script = viewScript({ name, version });
  const at = script.lastIndexOf("McpApp.info=");
  return [script.slice(0, at), script.slice(at)];
}

describe("viewScript", () => {
  it("is a classic script: no import, no export, no eval", () => {
    const [runtime] = parts("a", "1");
    expect(runtime.length).toBeGreaterThan(1000);
    expect(runtime).not.toMatch(/\bimport\b|\bexport\b|\beval\b|\bnew Function\b/);
  });

  it.each(HOSTILE)("contains nothing that could end its element, whatever the name: %j", (name) => {
    const [runtime, own] = parts(name, name);
    expect(runtime).not.toMatch(/<\/script|<!--/i);
    expect(own).not.toContain("<");
    expect(own).not.toMatch(/[\r\n\0]/);
  });

  it.each(HOSTILE)("passes the exact name and version to the runtime: %j", (name) => {
    const McpApp: { info?: unknown } = {};
    const [, own] = parts(name, `${name}2`);
    runInNewContext(own, { McpApp });
    expect({ ...(McpApp.info as object) }).toEqual({ name, version: `${name}2` });
  });

  it("uses only name and version of its options", () => {
    const info = { name: "a", version: "1", secret: "hush" };
    expect(viewScript(info)).not.toContain("hush");
  });
});
