/**
 * Takes the pictures of docs/templates: every template of @vitrine/server with realistic data, in our own
 * host and a real browser.
 *
 *     node scripts/build.mjs && node scripts/template-pictures.mjs             # all of them
 *     node scripts/template-pictures.mjs kanban form                           # some
 *     node scripts/template-pictures.mjs --theme dark --to /tmp kanban         # to look at; also --width, --locale
 *
 * A template without data here is an error: add some to EXAMPLES when you add a template. Fonts are those of
 * the machine, so pictures differ a little between machines: commit only those that you mean to change.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { renderTemplate, TEMPLATES } from "@vitrine/server/templates";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const MOST_BYTES = 60_000;

/** A tiny picture, for file inputs. */
const landscape = (encodePng) => {
  const [width, height] = [96, 64];
  const pixels = new Uint32Array(width * height);
  for (const at of pixels.keys()) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const isHill = y > 40 + 8 * Math.sin(x / 11) || y > 34 + 12 * Math.cos(x / 23);
    const isSun = (x - 70) ** 2 + (y - 16) ** 2 < 70;
    pixels[at] = isSun ? 0xffd75e : isHill ? 0x3f8f5f - (y << 8) : 0x7fb7e8 + y * 0x010100;
  }
  return encodePng({ width, height, pixels });
};

/**
 * Configuration, data of the tool's result, actions of a user before the picture is taken, and the page's
 * width.
 */
const EXAMPLES = {
  approval: {
    config: { title: "Release to production?", reason: true, approveLabel: "Release" },
    data: {
      summary: "Version 2.4.0 of the web shop goes to all customers.",
      details: { Commit: "8f31c2d", Tests: "1,204 passed", "Changed files": 37, Downtime: "none expected" },
    },
  },
  chart: {
    config: {
      title: "Visitors by month",
      series: [
        { key: "web", label: "Web" },
        { key: "app", label: "App" },
      ],
    },
    data: [
      { month: "January", web: 4200, app: 2100 },
      { month: "February", web: 4650, app: 2480 },
      { month: "March", web: 5300, app: 3150 },
      { month: "April", web: 4900, app: 3620 },
      { month: "May", web: 5800, app: 4100 },
      { month: "June", web: 6150, app: 4870 },
    ],
  },
  choice: {
    config: {
      title: "Your plan",
      question: "Which plan do you want?",
      options: [
        { value: "basic", label: "Basic", description: "One server, mail support" },
        { value: "team", label: "Team", description: "Five servers, answers within a day" },
        { value: "pro", label: "Pro", description: "Fifty servers, and someone to call" },
      ],
      submitTool: "set-plan",
    },
    act: (view) => view.getByRole("radio").nth(1).check(),
  },
  "data-table": {
    config: {
      title: "Orders",
      columns: [
        { key: "order", label: "Order", sortable: true },
        { key: "customer", label: "Customer", sortable: true },
        { key: "placed", label: "Placed", sortable: true },
        { key: "total", label: "Total", sortable: true },
        { key: "paid", label: "Paid", sortable: true },
      ],
      pageSize: 5,
    },
    data: [
      { order: "A-1041", customer: "Ada Lovelace", placed: "2026-03-02", total: 1250, paid: true },
      { order: "A-1042", customer: "Alan Turing", placed: "2026-03-03", total: 89, paid: true },
      { order: "A-1043", customer: "Grace Hopper", placed: "2026-03-03", total: 420, paid: false },
      { order: "A-1044", customer: "Edsger Dijkstra", placed: "2026-03-05", total: 15, paid: true },
      { order: "A-1045", customer: "Barbara Liskov", placed: "2026-03-06", total: 2310, paid: false },
      { order: "A-1046", customer: "Donald Knuth", placed: "2026-03-09", total: 256, paid: true },
      { order: "A-1047", customer: "Radia Perlman", placed: "2026-03-10", total: 730, paid: true },
    ],
    act: async (view) => {
      // Without the mouse, which would hover over it.
      for (const _time of [1, 2]) await view.getByRole("button", { name: "Total" }).dispatchEvent("click");
    },
  },
  detail: {
    config: {
      title: "Parcel",
      fields: [
        { key: "number", label: "Number" },
        { key: "status", label: "Status", type: "badge" },
        { key: "due", label: "Arrives", type: "date" },
        { key: "weight", label: "Weight in kg" },
        { key: "address", label: "Address" },
        { key: "contents", label: "Contents" },
      ],
      actions: [
        { label: "Change the address", tool: "change-address", style: "main" },
        { label: "Return", tool: "return-parcel", style: "danger", confirm: "Send it back?" },
      ],
    },
    data: {
      number: "99.00.123456",
      status: "on its way",
      due: "2026-04-14",
      weight: 2.4,
      address: { Name: "Eva Muster", Street: "Bahnhofstrasse 1", Town: "3011 Bern" },
      contents: ["Two books", "A lamp"],
    },
  },
  "diff-viewer": {
    config: { title: "price.ts", leftTitle: "Before", rightTitle: "After" },
    data: {
      left: [
        "/** What an order costs. */",
        "export function price(items) {",
        "  let sum = 0;",
        "  for (const it of items)",
        "    sum += it.price;",
        "  return sum;",
        "}",
      ].join("\n"),
      right: [
        "/** What an order costs. */",
        "export function price(items) {",
        "  let sum = shippingOf(items);",
        "  for (const it of items)",
        "    sum += it.count * it.price;",
        "  return sum;",
        "}",
      ].join("\n"),
    },
  },
  "file-upload": {
    config: {
      title: "Receipts of your trip",
      accept: ["image/*", ".pdf", ".csv"],
      maxFiles: 10,
      submitTool: "save-receipts",
    },
    act: async (view, { encodePng }) => {
      const file = (name, mimeType, buffer) => ({ name, mimeType, buffer });
      const files = [
        file("harbour.png", "image/png", landscape(encodePng)),
        file("hotel.pdf", "application/pdf", Buffer.alloc(248_300, 1)),
        file("expenses.csv", "text/csv", Buffer.alloc(3_120, 1)),
      ];
      await view.getByLabel("Choose").setInputFiles(files);
      await view.locator("canvas").waitFor();
    },
  },
  form: {
    config: {
      title: "Book a table",
      description: "We keep it for a quarter of an hour.",
      fields: [
        { name: "name", label: "Your name", required: true },
        { name: "date", label: "Day", type: "date", required: true },
        { name: "people", label: "People", type: "number", minimum: 1, maximum: 12 },
        { name: "room", label: "Where", type: "select", options: ["Inside", "In the garden"] },
        { name: "news", label: "Send me the menu every week", type: "checkbox" },
      ],
      submitTool: "book-table",
      cancelable: true,
    },
    data: { name: "Ada Lovelace", date: "2026-05-09", people: 4, room: "In the garden", news: true },
  },
  kanban: {
    width: 690,
    config: { title: "Sprint 12", onMoveTool: "move-card" },
    data: [
      {
        id: 1,
        title: "Search by colour",
        column: "todo",
        priority: "medium",
        tags: ["shop"],
        assignee: "Ada",
      },
      { id: 2, title: "Faster start page", column: "todo", priority: "low", tags: ["web"] },
      {
        id: 3,
        title: "Orders arrive twice",
        description: "When the payment is slow.",
        column: "in-progress",
        priority: "high",
        tags: ["bug"],
        assignee: "Grace",
      },
      { id: 4, title: "New address form", column: "done", priority: "low", assignee: "Alan" },
      { id: 5, title: "Pay by invoice", column: "done", priority: "medium", tags: ["shop"] },
    ],
  },
  progress: {
    config: { title: "Nightly build", cancelTool: "stop-build" },
    data: {
      percent: 64,
      steps: [
        { label: "Fetch the sources", status: "done" },
        { label: "Compile", status: "done" },
        { label: "Run 1,204 tests", status: "active" },
        { label: "Build the image", status: "pending" },
        { label: "Publish", status: "pending" },
      ],
    },
  },
  "tree-view": {
    config: { title: "Project", selectable: true, expandLevel: 2 },
    data: [
      {
        id: "src",
        label: "src",
        children: [
          {
            id: "templates",
            label: "templates",
            children: [
              { id: "form", label: "form.ts", meta: "4 kB" },
              { id: "kanban", label: "kanban.ts", meta: "6 kB" },
            ],
          },
          { id: "index", label: "index.ts", meta: "1 kB" },
          { id: "serve", label: "serve.ts", meta: "3 kB" },
        ],
      },
      { id: "docs", label: "docs", children: [{ id: "readme", label: "README.md" }] },
      { id: "package", label: "package.json", meta: "2 kB" },
    ],
  },
  wizard: {
    config: {
      title: "New server",
      steps: [
        { title: "Name", fields: [{ name: "name", label: "Name", required: true }] },
        {
          title: "Size",
          description: "It can be changed later.",
          fields: [
            { name: "memory", label: "Memory in GiB", type: "select", options: [2, 4, 8, 16] },
            { name: "disk", label: "Disk in GB", type: "number", minimum: 10 },
            { name: "backup", label: "Back it up every night", type: "checkbox" },
          ],
        },
        { title: "Access", fields: [{ name: "key", label: "Public key", type: "textarea" }] },
      ],
      submitTool: "create-server",
    },
    data: { name: "shop-1", memory: 8, disk: 80, backup: true },
    act: (view) => view.getByRole("button", { name: "Next" }).click(),
  },
};

/**
 * The host of the tests, which is TypeScript: bundled where its packages are found, as if it were at its
 * original path.
 */
async function loadStage() {
  const outfile = here("../node_modules/.cache/template-pictures.mjs");
  const modules = ["./host/host-stage.ts", "./fake-upstream.ts", "./host/picture.ts"];
  await build({
    stdin: {
      contents: modules.map((path) => `export * from "${path}";`).join("\n"),
      resolveDir: here("../testing"),
    },
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    define: { "import.meta.url": JSON.stringify(new URL("../testing/browser.ts", import.meta.url).href) },
    outfile,
  });
  return import(pathToFileURL(outfile).href);
}

/** Shows a template as its tool's call would, and takes its picture. */
async function take(stage, loaded, name, { width, context }) {
  const template = TEMPLATES[name];
  const example = EXAMPLES[name];
  if (!template || !example) throw new Error(`there is no ${template ? "example of" : "template"} ${name}`);
  const { config, data, act } = example;
  const tool = { name: "show", inputSchema: { type: "object" } };
  const upstream = loaded.fakeUpstream({ "tools/list": () => ({ tools: [] }) }, name);
  await stage.serve(name, { html: renderTemplate(template, config), upstream, tool });
  const page = await stage.openPage();
  await page.setViewportSize({ width: Number(width ?? example.width ?? 656), height: 1000 });
  const result = data && {
    content: [{ type: "text", text: JSON.stringify(data) }],
    ...(!Array.isArray(data) && { structuredContent: data }),
  };
  const view = await stage.mount(page, name, {
    consent: "allow",
    context,
    input: {},
    ...(result && { result }),
  });
  await view.locator("main").waitFor();
  await act?.(view, loaded);
  await page.mouse.move(0, 0);
  const element = page.locator(`#${name} iframe`);
  let png = await element.screenshot();
  // Waits until it is stable: frames grow with their content.
  for (let last; !last?.equals(png); ) {
    last = png;
    await page.waitForTimeout(300);
    png = await element.screenshot();
  }
  await page.close();
  // A palette is enough for mostly text.
  if (png.length > MOST_BYTES) png = loaded.encodePng(loaded.decodePng(png));
  if (png.length > MOST_BYTES) throw new Error(`the picture of ${name} has ${png.length} bytes`);
  return png;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    to: { type: "string", default: here("../docs/templates") },
    theme: { type: "string", default: "light" },
    locale: { type: "string", default: "en" },
    width: { type: "string" },
  },
});
const { to, theme, locale, width } = values;
const loaded = await loadStage();
const stage = await loaded.HostStage.open({ args: [] });
try {
  await mkdir(to, { recursive: true });
  for (const name of positionals.length > 0 ? positionals : Object.keys(TEMPLATES)) {
    const png = await take(stage, loaded, name, { width, context: { theme, locale } });
    await writeFile(`${to}/${name}.png`, png);
    console.log(`${name}.png: ${png.length} bytes`);
  }
} finally {
  await stage.close();
}
