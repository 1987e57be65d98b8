/**
 * A host page of the bench in a browser: opened, connected, and what its views say.
 *
 * @module
 */

/** Milliseconds that anything may take before the bench gives up on it. */
const PATIENCE = 90_000;
/** Milliseconds between the connection and the first click: nobody is quicker, and every host has come to rest. */
const SETTLE = 300;

/** Opens a host page in a context of its own: nothing is cached, and no process is left from the one before. */
export async function openHost(browser, site, host, apps) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
  const page = await context.newPage();
  const heard = [];
  const waiting = new Set();
  const failures = [];
  page.on("pageerror", (error) => failures.push(error.message));
  page.on("console", (message) => {
    const text = message.text();
    if (!text.startsWith("bench ")) return;
    const [, what, number, at] = text.split(" ");
    heard.push({ what, number: Number(number), at: Number(at) });
    for (const look of [...waiting]) look();
  });
  await page.goto(site.address(host));
  await page.waitForFunction(() => "bench" in globalThis);
  await page.evaluate((names) => bench.connect(names), apps);
  await page.waitForTimeout(SETTLE);

  /** Waits until so many views have something, and gives when each had it. */
  const until = (what, count = 1) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(look);
        const got = heard.filter((each) => each.what === what).length;
        reject(
          new Error(`${host.label}: ${got} of ${count} views heard their ${what}; ${failures.join("; ")}`),
        );
      }, PATIENCE);
      const look = () => {
        const found = heard.filter((each) => each.what === what);
        if (found.length < count) return;
        waiting.delete(look);
        clearTimeout(timer);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  /** The view's frame of the app that was opened first. */
  const viewFrame = () => page.frames().find((frame) => frame.parentFrame()?.parentFrame());
  return { page, context, until, viewFrame, close: () => context.close() };
}
