/**
 * Shared by tests and benchmarks of auto-resize: documents in the layouts that views have, and an obedient
 * host that gives a frame the size it requests.
 */

/** A document that ends with the view's script. */
export const viewPage = (
  css,
  body,
  { doctype = "<!doctype html>", attributes = "", script = "/view.js" } = {},
) =>
  `${doctype}<html ${attributes}><head><meta charset="utf-8"><style>${css}</style></head>` +
  `<body>${body}<script src="${script}"></script></body></html>`;

/** Content of a known height. Tests check whether all elements of class `c` are visible. */
export const box = (height, more = "") => `<div class="c" style="height:${height}px;${more}"></div>`;

export const TEXT = "The quick brown fox jumps over the lazy dog. ".repeat(12);

/**
 * Static layouts. `natural` is the height that the content wants: in pixels, "flow" for the height of the
 * root's box, "frame" for content that only fills the frame.
 */
export const LAYOUTS = [
  {
    group: 1,
    name: "flow",
    natural: "flow",
    html: viewPage("body{margin:0}", `<div class="c">${TEXT}</div>`),
  },
  {
    group: 2,
    name: "margins",
    natural: "flow",
    html: viewPage("", `<h1 class="c">Title</h1><p class="c">${TEXT}</p>`),
  },
  {
    group: 2,
    name: "margins, no body margin",
    natural: "flow",
    html: viewPage("body{margin:0}", `<h1 class="c">Title</h1><p class="c">${TEXT}</p><p class="c">End</p>`),
  },
  {
    group: 3,
    name: "body min-height 100vh",
    natural: 200,
    html: viewPage("body{margin:0;min-height:100vh}", box(200)),
  },
  {
    group: 3,
    name: "app min-height 100vh",
    natural: 200,
    html: viewPage("body{margin:0}#app{min-height:100vh}", `<div id="app">${box(200)}</div>`),
  },
  {
    group: 3,
    name: "body min-height 100vh, margins",
    natural: 216,
    html: viewPage("body{min-height:100vh}", box(200)),
  },
  {
    group: 3,
    name: "app min-height 100vh, margins",
    natural: 216,
    html: viewPage("#app{min-height:100vh}", `<div id="app">${box(200)}</div>`),
  },
  {
    group: 4,
    name: "height 100vh, padding",
    natural: 240,
    html: viewPage("body{margin:0}#app{height:100vh;padding:20px}", `<div id="app">${box(200)}</div>`),
  },
  {
    group: 5,
    name: "height 100% chain",
    natural: 200,
    html: viewPage("html,body,#root{height:100%;margin:0}", `<div id="root">${box(200)}</div>`),
  },
  {
    group: 5,
    name: "height 100% chain, scroller",
    natural: 700,
    html: viewPage(
      "html,body,#root,.s{height:100%;margin:0}.s{overflow:auto}",
      `<div id="root"><div class="s">${box(500)}${box(200)}</div></div>`,
    ),
  },
  {
    group: 6,
    name: "absolute popup",
    natural: 400,
    html: viewPage(
      "body{margin:8px}#pop{position:absolute;top:300px;left:20px}",
      `${box(100)}<div id="pop">${box(100, "width:50px")}</div>`,
    ),
  },
  {
    group: 7,
    name: "content wider than the frame",
    natural: 200,
    width: 700,
    needsWidth: 700,
    html: viewPage("body{margin:0}", box(200, "width:700px")),
  },
];

/** More static layouts, each one a trap. */
export const TRAPS = [
  {
    name: "flex column 100vh, scroller",
    natural: 540,
    html: viewPage(
      "body{margin:0;display:flex;flex-direction:column;height:100vh}header{height:40px}.content{flex:1;overflow:auto}",
      `<header></header><div class="content">${box(500)}</div>`,
    ),
  },
  {
    name: "grid, centred card",
    natural: 300,
    html: viewPage(
      "body{margin:0;display:grid;place-items:center;min-height:100vh}",
      box(300, "width:200px"),
    ),
  },
  {
    name: "canvas, absolute",
    natural: "frame",
    html: viewPage("canvas{position:absolute;inset:0;width:100%;height:100%}", "<canvas></canvas>"),
  },
  {
    name: "canvas, height 100%",
    natural: "frame",
    html: viewPage(
      "html,body{height:100%;margin:0}canvas{display:block;width:100%;height:100%}",
      "<canvas></canvas><script>const c=document.querySelector('canvas');const fit=()=>{c.width=c.clientWidth*2;c.height=c.clientHeight*2};fit();new ResizeObserver(fit).observe(c)</script>",
    ),
  },
  {
    name: "map below a header",
    natural: "frame",
    from: [150, 600],
    html: viewPage(
      "body{margin:0;display:flex;flex-direction:column;height:100vh}header{height:40px}#map{flex:1;position:relative}canvas{position:absolute;inset:0;width:100%;height:100%}",
      `<header class="c"></header><div id="map"><canvas></canvas></div>`,
    ),
  },
  {
    name: "calc(100vh - 20px)",
    natural: 100,
    html: viewPage("body{margin:0}#app{height:calc(100vh - 20px)}", `<div id="app">${box(100)}</div>`),
  },
  {
    name: "calc(100vh - 20px), empty",
    natural: "frame",
    from: [150, 600],
    html: viewPage("body{margin:0}#app{height:calc(100vh - 20px)}", `<div id="app"></div>`),
  },
  {
    name: "110vh",
    natural: 100,
    html: viewPage("body{margin:0}#app{height:110vh}", `<div id="app">${box(100)}</div>`),
  },
  {
    name: "110vh through a variable",
    natural: 100,
    html: viewPage(
      ":root{--app-height:110vh}body{margin:0}#app{height:var(--app-height)}",
      `<div id="app">${box(100)}</div>`,
    ),
  },
  {
    name: "100vh through a variable of any name, padding",
    natural: 120,
    html: viewPage(
      ":root{--full:100vh}body{margin:0}#app{padding:10px;min-height:var(--full)}",
      `<div id="app">${box(100)}</div>`,
    ),
  },
  {
    name: "min-block-size 100vh, margins",
    natural: 116,
    html: viewPage("#app{min-block-size:100vh}", `<div id="app">${box(100)}</div>`),
  },
  {
    name: "100vmin and padding in a style attribute",
    natural: 120,
    html: viewPage("body{margin:0}", `<div style="min-height:100vmin;padding:10px">${box(100)}</div>`),
  },
  {
    name: "110dvh in a style attribute",
    natural: 100,
    html: viewPage("body{margin:0}", `<div style="min-height:110dvh !important">${box(100)}</div>`),
  },
  {
    name: "100vh in layers and media, overridden",
    natural: 500,
    html: viewPage(
      "body{margin:0}@layer a{@media (min-width:1px){#app{min-height:100vh}}}@layer b{#o{height:100vh}#o{height:300px}}",
      `<div id="app">${box(200)}<div id="o" class="c"></div></div>`,
    ),
  },
  {
    name: "max-height 80vh",
    natural: 500,
    clipped: true,
    html: viewPage("body{margin:0}.s{max-height:80vh;overflow:auto}", `<div class="s">${box(500)}</div>`),
  },
  {
    name: "width 110%",
    natural: 200,
    width: 440,
    html: viewPage("body{margin:0}#w{width:110%;height:200px}", `<div id="w"></div>`),
  },
  {
    name: "width 100vw in margins",
    natural: 216,
    width: 408,
    html: viewPage("#w{width:100vw;height:200px}", `<div id="w"></div>`),
  },
  {
    name: "narrow content",
    natural: 50,
    html: viewPage("body{margin:0}", box(50, "width:50px")),
  },
  {
    name: "right to left",
    natural: 200,
    width: 700,
    needsWidth: 700,
    html: viewPage("body{margin:0}", box(200, "width:700px"), { attributes: 'dir="rtl"' }),
  },
  {
    name: "right to left, flow",
    natural: "flow",
    html: viewPage("", `<p class="c">${TEXT}</p>`, { attributes: 'dir="rtl"' }),
  },
  {
    name: "nothing",
    natural: "frame",
    html: viewPage("", ""),
  },
];

/** The address of a layout on the view's origin. */
export const layoutPath = (name) => `/${encodeURIComponent(name.replaceAll("%", " percent"))}`;

/**
 * The host page. `add` inserts a frame and returns its number. `settle` waits until a frame has the expected
 * size, has reported it, and has been silent for a while. `hosts` has the received messages. `remove`
 * removes a frame that was added to stay.
 */
export const HOST_PAGE = `<!doctype html><style>iframe{position:absolute;border:0}</style><body><script>
const hosts = [];
function add({ src, height, width = 400, max = Infinity, ignore, fixedWidth, style = "", keep }) {
  const frame = document.createElement("iframe");
  const host = { frame, keep, sizes: [], heights: new Set(), initialized: false, at: 0 };
  frame.style.cssText = "left:" + (hosts.length % 3) * 420 + "px;top:0;width:" + width + "px;height:" + height + "px;" + style;
  frame.src = src;
  host.post = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
  host.context = (params) => host.post({ method: "ui/notifications/host-context-changed", params });
  host.resize = (size) => {
    host.sizes.push(size);
    host.at = performance.now();
    if (ignore) return;
    if (!fixedWidth) frame.style.width = size.width + "px";
    frame.style.height = Math.min(size.height, max) + "px";
  };
  document.body.append(frame);
  // Finished frames only take time.
  const old = hosts.at(-30);
  if (!old?.keep) old?.frame.remove();
  return hosts.push(host) - 1;
}
function remove(index) {
  hosts[index].frame.remove();
}
addEventListener("message", ({ source, data }) => {
  const host = hosts.findLast(({ frame }) => frame.contentWindow === source);
  if (!host) return;
  if (data.method === "ui/initialize") {
    host.post({ id: data.id, result: {
      protocolVersion: data.params.protocolVersion, hostInfo: { name: "host", version: "1" },
      hostCapabilities: {}, hostContext: { displayMode: "inline" },
    } });
  } else if (data.method === "ui/notifications/initialized") {
    host.initialized = true;
    host.at = performance.now();
  } else if (data.method === "ui/notifications/size-changed") host.resize(data.params);
});
function settle(index, { quiet = 500, limit = 60000, since = 0, width, height, messages = 0 } = {}) {
  const host = hosts[index];
  const from = performance.now();
  return new Promise((resolve) => {
    (function look() {
      const now = performance.now();
      const { clientWidth, clientHeight } = host.frame;
      const reached =
        host.initialized &&
        host.sizes.length - since >= messages &&
        Math.abs(clientWidth - (width ?? clientWidth)) <= 1 &&
        Math.abs(clientHeight - (height ?? clientHeight)) <= 1;
      const stable = reached && now - Math.max(host.at, from) > quiet;
      if (!stable && now - from < limit) return setTimeout(look, 20);
      resolve({ stable, width: clientWidth, height: clientHeight, sizes: host.sizes.slice(since) });
    })();
  });
}
</script>`;
