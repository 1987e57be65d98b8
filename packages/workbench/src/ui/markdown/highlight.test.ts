import { expect, it } from "vitest";
import { highlight } from "./highlight.js";

it.each([
  ["ts", 'const a: string = "b"; // c'],
  ["python", "def f(a):\n    return 'b'  # c"],
  ["json", '{"a": [1, true, null]}'],
  ["bash", 'for a in *; do echo "$a"; done # c'],
  ["html", '<a href="b">c</a>'],
  ["css", ".a { color: red; } /* b */"],
  ["sql", "SELECT a FROM b WHERE c = 'd' -- e"],
  ["java", "class A { int b = 1; }"],
  ["go", 'func main() { fmt.Println("a") }'],
  ["rust", 'fn main() { println!("a"); }'],
  ["yaml", 'a: 1\nb:\n  - "c" # d'],
  ["diff", "-a\n+b"],
  ["cpp", "#include <a>\nint main() { return 0; }"],
])("%s has colours, and keeps its text", (language, code) => {
  const parts = highlight(code, language) ?? [];
  expect(parts.map(({ text }) => text).join("")).toBe(code);
  expect(parts.some(({ kind }) => kind !== undefined)).toBe(true);
});

it("an unknown language and very long code have none", () => {
  expect(highlight("a", "brainfuck")).toBeUndefined();
  expect(highlight("a", "__proto__")).toBeUndefined();
  expect(highlight("let a;".repeat(10_000), "js")).toBeUndefined();
});

it.each(["js", "ts", "python", "sh", "sql", "json", "html", "css", "cpp", "markdown"])(
  "no code in %s takes long",
  (language) => {
    const long = language === "html" ? 5_000 : 20_000;
    for (const part of ['"', "/", "`", "<", "(", "\\", "#", "${", "<a b='", "/*", "a<", "{<", "</"]) {
      const started = performance.now();
      expect(highlight(part.repeat(long / part.length), language)).toBeDefined();
      // 300 ms on a busy machine; seconds where the time grows with the square of the length.
      expect(performance.now() - started).toBeLessThan(3_000);
    }
  },
);
