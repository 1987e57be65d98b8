import { RELOADS_KEY } from "@vitrine/protocol";
import { expect, it } from "vitest";
import { FollowedFiles } from "./followed-files.js";

it("knows which files a server watches itself, while it runs", () => {
  const followed = new FollowedFiles();
  const capabilities = {
    experimental: { [RELOADS_KEY]: { paths: ["/a/ui", "/a/page.html", "/b/*/tool.mjs", 7] } },
  };
  const of = (file: string): boolean => followed.has("shop", file);
  expect(of("/a/page.html")).toBe(false);
  followed.learn({ name: "shop", state: "ready", capabilities });
  expect(["/a/page.html", "/a/ui/x/y.css", "/a/ui"].map(of)).toEqual([true, true, true]);
  expect(["/a/page.htm", "/a/uix/y.css", "/a/server.js"].map(of)).toEqual([false, false, false]);
  expect(["/b/x/tool.mjs", "/b/tool.mjs", "/b/x/y/tool.mjs", "/b/x/lib.mjs"].map(of)).toEqual([
    true,
    ...[false, false, false],
  ]);
  expect(followed.has("other", "/a/page.html")).toBe(false);
  followed.learn({ name: "shop", state: "starting", capabilities });
  expect(of("/a/page.html")).toBe(false);
  for (const odd of [{ experimental: null }, { experimental: { [RELOADS_KEY]: 1 } }, {}]) {
    followed.learn({ name: "shop", state: "ready", capabilities: odd });
    expect(of("/a/page.html")).toBe(false);
  }
});
