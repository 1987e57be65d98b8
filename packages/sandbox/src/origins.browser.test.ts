/** The origins and powers of views in a real browser: by name, by port, without an origin, and in production. */
import type { Frame } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inlineScript } from "../../../testing/browser.ts";
import { freePort } from "../../../testing/free-port.ts";
import { SandboxStage, type Shown, until } from "../../../testing/sandbox-stage.ts";
import type { ViewRegistration } from "./sandbox.js";

/** Globals of the host page. */
declare const host: { show(showing: object): void };
declare const noted: { data: unknown; origin: string }[];

const APP = `<!doctype html><title>app</title><p>app</p>${inlineScript(`
  const noted = [];
  addEventListener("message", ({ data, origin }) => noted.push({ data, origin }));
`)}`;

/** A media request is answered without a prompt, by a fake device. */
const ARGS = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"];

const FEATURES = [
  "camera",
  "microphone",
  "geolocation",
  "clipboard-write",
  "display-capture",
  "usb",
  "fullscreen",
];

/** Sends each message there and back once. */
async function expectRelay(shown: Shown): Promise<void> {
  const view = await shown.view();
  await view.evaluate(() => parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ping" }, "*"));
  await shown.untilHeard("ping");
  await shown.post({ jsonrpc: "2.0", id: 1, result: {} });
  await until(async () =>
    expect(await view.evaluate(() => noted)).toEqual([
      { data: { jsonrpc: "2.0", id: 1, result: {} }, origin: shown.registered.origin },
    ]),
  );
}

const allowed = (view: Frame, features: string[]): Promise<string[]> =>
  view.evaluate(
    (names) =>
      names.filter((name) =>
        (
          document as Document & { featurePolicy: { allowsFeature(name: string): boolean } }
        ).featurePolicy.allowsFeature(name),
      ),
    features,
  );

/** The error name or the result of a call. */
const outcome = (view: Frame, script: string): Promise<string> =>
  view.evaluate((text) => {
    // The view's policy has no eval, so this uses a script element.
    const element = document.createElement("script");
    element.text = `globalThis.outcome = (async () => { ${text} })().then((value) => "ok " + value, (error) => error.name)`;
    document.body.append(element);
    return (globalThis as unknown as { outcome: Promise<string> }).outcome;
  }, script);

let stage: SandboxStage;
beforeAll(async () => {
  stage = await SandboxStage.open({ args: ARGS });
});
afterAll(() => stage?.close());

describe("closed unless the host opens it", () => {
  it("S10: pop-ups, top navigation, modals, downloads and plug-ins", async () => {
    const shown = await stage.show({ html: APP }, { port: true });
    const view = await shown.view();
    const opened: string[] = [];
    shown.page.context().on("page", (page) => opened.push(page.url()));
    shown.page.on("download", (download) => opened.push(download.url()));
    shown.page.on("dialog", (dialog) => {
      opened.push(dialog.type());
      void dialog.dismiss();
    });
    // With a click, which these require.
    await view.click("p");
    expect(await outcome(view, 'return open("about:blank")')).toBe("ok null");
    expect(await outcome(view, 'top.location.href = "about:blank"')).toBe("SecurityError");
    expect(await outcome(view, "return confirm('?')")).toBe("ok false");
    expect(await outcome(view, "return prompt('?')")).toBe("ok null");
    await outcome(view, "alert(1); print()");
    await outcome(
      view,
      'const a = document.createElement("a"); a.href = "data:,x"; a.download = "x"; a.click()',
    );
    expect(await outcome(view, "await document.body.requestPointerLock()")).toMatch(/Error$/);
    expect(await outcome(view, "await document.body.requestFullscreen()")).toBe("TypeError");
    await outcome(
      view,
      'document.body.append(Object.assign(document.createElement("object"), { data: "/x" }))',
    );
    await outcome(
      view,
      'document.body.append(Object.assign(document.createElement("embed"), { src: "/x" }))',
    );
    await until(async () => {
      const directives = (await shown.reports("csp-violation")).map(({ directive }) => directive);
      expect(directives.filter((each) => each === "object-src")).toHaveLength(2);
    });
    expect(opened).toEqual([]);
    expect(shown.page.url()).toBe(`${stage.site.origin()}/`);
  });

  it("S10: attack A25: a form is not sent, but its submit event fires, and the app continues", async () => {
    const form = '<form><input name="secret"><button>go</button></form>';
    const script = "<script>onsubmit = () => { document.title = 'heard' }</script>";
    const shown = await stage.show({ html: APP + form + script }, { port: true });
    await shown.untilReported("loaded");
    const view = await shown.view();
    await view.click("button");
    expect(await shown.untilReported("csp-violation")).toMatchObject({ directive: "form-action" });
    expect(await view.evaluate(() => document.title)).toBe("heard");
    await expectRelay(shown);
  });

  it("S10: the browser understands every header: it writes no warning", async () => {
    const page = await stage.openPage(`${stage.site.origin()}/`);
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    const view = await stage.served.sandbox.register({ server: "test", html: APP });
    const { src, origin, allow } = view;
    await page.evaluate((options) => host.show(options), { src, origin, allow });
    await until(() => expect(page.frames()).toHaveLength(3));
    await until(async () => expect(await page.frames()[2]?.evaluate(() => document.title)).toBe("app"));
    expect(said).toEqual([]);
  });
});

describe("S09: permissions", () => {
  const meta = { permissions: { camera: {}, microphone: {}, clipboardWrite: {} } };

  it("S09: only granted permissions reach the view", async () => {
    const grant: ViewRegistration["grant"] = (permission) => permission !== "microphone";
    const shown = await stage.show({ html: APP, meta, grant });
    expect(shown.registered.permissions).toEqual({ camera: {}, clipboardWrite: {} });
    const view = await shown.view();
    expect(await allowed(view, FEATURES)).toEqual(["camera", "clipboard-write"]);
    const media = (kind: string): string =>
      `return (await navigator.mediaDevices.getUserMedia({ ${kind}: true })).active`;
    expect(await outcome(view, media("video"))).toBe("ok true");
    // B11
    expect(await outcome(view, media("audio"))).toBe("NotAllowedError");
  });

  it("attack B11: nothing is granted by default, nor by an attribute of the host's frame alone", async () => {
    const shown = await stage.show({ html: APP, meta }, { allow: "camera; microphone; geolocation; usb" });
    const view = await shown.view();
    expect(await allowed(view, FEATURES)).toEqual([]);
    expect(await outcome(view, "await navigator.mediaDevices.getUserMedia({ video: true })")).toBe(
      "NotAllowedError",
    );
    expect(await outcome(view, "await navigator.clipboard.readText()")).toBe("NotAllowedError");
    expect(
      await outcome(
        view,
        "await new Promise((ok, no) => navigator.geolocation.getCurrentPosition(ok, ({ code }) => no({ name: code })))",
      ),
    ).toBe(1);
  });
});

describe("a view without an origin", () => {
  it("S08, attack B13: is null to everybody, has no storage, and speaks as any other", async () => {
    const shown = await stage.show({ html: APP, opaque: true }, { port: true });
    expect(shown.registered.viewOrigin).toBe("null");
    const view = await shown.view();
    expect(await view.evaluate(() => origin)).toBe("null");
    for (const storage of ["localStorage.length", "sessionStorage.length", "document.cookie"])
      expect(await outcome(view, `return ${storage}`)).toBe("SecurityError");
    expect(
      await outcome(
        view,
        'await new Promise((ok, no) => { const r = indexedDB.open("x"); r.onsuccess = ok; r.onerror = () => no(r.error); })',
      ),
    ).toMatch(/Error$/);
    await expectRelay(shown);
  });

  it("S03: gets its document by message too", async () => {
    const shown = await stage.show({ opaque: true }, { resource: { html: APP } });
    await until(async () => expect(await (await shown.view()).evaluate(() => document.title)).toBe("app"));
    expect(await (await shown.view()).evaluate(() => origin)).toBe("null");
    await expectRelay(shown);
  });

  it("S09: can be granted the clipboard, and nothing that no browser would give it", async () => {
    const permissions = { camera: {}, microphone: {}, geolocation: {}, clipboardWrite: {} };
    const shown = await stage.show({ html: APP, opaque: true, meta: { permissions }, grant: () => true });
    expect(shown.registered.permissions).toEqual({ clipboardWrite: {} });
    const view = await shown.view();
    expect(await allowed(view, FEATURES)).toEqual(["clipboard-write"]);
    await view.click("p");
    expect(await outcome(view, 'return navigator.clipboard.writeText("x")')).toBe("ok undefined");
  });
});

describe("a port for each page of each app", () => {
  let ports: SandboxStage;
  beforeAll(async () => {
    ports = await SandboxStage.beside(stage, { portPerApp: true });
  });
  afterAll(() => ports?.served.close());

  it("S01: works, without origins, as apps would share cookies", async () => {
    const shown = await ports.show({ html: APP }, { port: true });
    expect(shown.registered.src).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
    expect(shown.registered.viewOrigin).toBe("null");
    expect(await (await shown.view()).evaluate(() => origin)).toBe("null");
    await expectRelay(shown);
  });

  it("S11: gives an app an origin of its own where it is asked for", async () => {
    const shown = await ports.show({ html: APP, opaque: false, server: "b" }, { port: true });
    const { origin, viewOrigin } = shown.registered;
    expect(viewOrigin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(viewOrigin).not.toBe(origin);
    expect(await (await shown.view()).evaluate(() => globalThis.origin)).toBe(viewOrigin);
    await expectRelay(shown);
  });
});

describe("in production: names under one domain", () => {
  let production: SandboxStage;
  beforeAll(async () => {
    await stage.browser.close();
    const port = await freePort();
    production = await SandboxStage.open({
      port,
      origin: `http://{role}-{label}.apps.test:${port}`,
      args: ["--host-resolver-rules=MAP *.apps.test 127.0.0.1"],
    });
  });
  afterAll(() => production?.close());

  it("S01, S11: works, and asks for a process for each origin", async () => {
    const shown = await production.show({ html: APP }, { port: true });
    expect(shown.registered.viewOrigin).toMatch(/^http:\/\/v-[a-z2-7]{26}\.apps\.test:\d+$/);
    const view = await shown.view();
    expect(await view.evaluate(() => origin)).toBe(shown.registered.viewOrigin);
    await expectRelay(shown);
    for (const address of [shown.registered.src, view.url()]) {
      const response = await production.served.sandbox.fetch(new Request(address));
      expect(response.headers.get("origin-agent-cluster")).toBe("?1");
    }
  });

  it("S02: a browser that does not send the destination of a page gets one that refuses to work in a tab", async () => {
    const { src } = await production.served.sandbox.register({ server: "test", html: APP });
    const page = await production.openPage("about:blank");
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    // Over http, and not on loopback by name: no Sec-Fetch-Dest.
    const response = await page.goto(src);
    expect(response?.request().headers()).not.toHaveProperty("sec-fetch-dest");
    expect(response?.status()).toBe(200);
    await until(() => expect(errors).toEqual(["only inside its host"]));
    expect(page.frames()).toHaveLength(1);
  });
});
