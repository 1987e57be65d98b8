import { MAX_UI_BYTES } from "@vitrine/guard";
import { Sandbox } from "@vitrine/sandbox";
import { describe, expect, it } from "vitest";
import { showDocument } from "./show-document.js";

const sandbox = new Sandbox({
  secret: "a secret of a test's",
  origin: "http://{role}.{label}.localhost:8091",
  hosts: ["http://localhost:8090"],
});
const show = (html: string, meta?: object) => showDocument(sandbox, "v1", { name: "Cart", html, meta });

describe("showDocument", () => {
  it("shows a document with the policy of its metadata, like a server's resource", async () => {
    const meta = { csp: { connectDomains: ["https://api.example.com"] }, prefersBorder: true };
    const { place, ...opened } = await show("<p>Cart", meta);
    expect(opened).toEqual({ view: "v1", server: "", capabilities: {}, uri: "Cart" });
    expect(place).toMatchObject({
      csp: { connectDomains: ["https://api.example.com"] },
      prefersBorder: true,
    });
    const real = await sandbox.register({ server: "shop", html: "<p>Cart", meta });
    const hideOrigin = (policy = "") => policy.replace(/[a-z2-7]{26}/g, "LABEL");
    expect(hideOrigin(place?.policy)).toBe(hideOrigin(real.policy));
    const page = await sandbox.fetch(
      new Request(`${place?.viewOrigin}/${place?.src.split("/").at(-1)}`, {
        headers: { host: new URL(place?.viewOrigin ?? "").host },
      }),
    );
    expect(await page.text()).toContain("<p>Cart");
    expect(page.headers.get("content-security-policy")).toBe(place?.policy);
  });

  it("applies the page's narrowing, whatever its metadata declares", async () => {
    const meta = { csp: { frameDomains: ["https://maps.example.com"] } };
    const shown = { name: "Cart", html: "<p>Cart", meta, narrow: ["frame-domains"] as const };
    const { place } = await showDocument(sandbox, "v1", shown);
    expect(place).toMatchObject({ csp: {}, narrowed: meta.csp });
    expect(place?.policy).toContain("frame-src 'none';");
  });

  it("is gone when it is released", async () => {
    const { place } = await show("<p>Cart");
    if (!place) throw new Error("no place");
    const ask = (): Promise<Response> =>
      sandbox.fetch(new Request(place.src, { headers: { host: new URL(place.origin).host } }));
    expect((await ask()).status).toBe(200);
    await sandbox.forget(place);
    expect((await ask()).status).toBe(404);
  });

  it("S09: grants no permission", async () => {
    const { place } = await show("<p>", { permissions: { camera: {}, clipboardWrite: {} } });
    expect(place).toMatchObject({ allow: "", permissions: {}, relax: [] });
  });

  it("gives it a unique origin, whatever domain it declares", async () => {
    const meta = { domain: "shop" };
    const places = await Promise.all([show("<p>", meta), show("<p>", meta), show("<p>")]);
    const servers = ["Cart", "", "document", "shop"].map((server) =>
      sandbox.register({ server, html: "<p>", meta }),
    );
    const origins = [...places.map(({ place }) => place), ...(await Promise.all(servers))].map(
      (place) => place?.viewOrigin,
    );
    expect(new Set(origins).size).toBe(origins.length);
  });

  it("C08: reports why it cannot be shown", async () => {
    expect(await show(" ")).toMatchObject({ problem: { code: "document-empty" } });
    expect(await show("x".repeat(MAX_UI_BYTES + 1))).toMatchObject({
      problem: { code: "document-too-large" },
    });
    const bad = await show("<p>", { csp: { connectDomains: ["https://a.example; script-src *"] } });
    expect(bad).toMatchObject({ problem: { code: "bad-resource" } });
    expect(bad.place).toBeUndefined();
  });

  it("reads invalid metadata like a server's: invalid parts are skipped", async () => {
    const { place } = await show("<p>", { csp: "none", prefersBorder: "yes", domain: 1 });
    expect(place?.csp).toEqual({});
  });
});
