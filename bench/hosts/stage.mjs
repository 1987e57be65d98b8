/**
 * Opens a host page of the bench in a browser and connects it.
 *
 * @module
 */

/**
 * Milliseconds between the connection and the first click: no user is faster, and every host is idle by then.
 */
const SETTLE = 300;
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Opens a host page. `call` calls functions of its `bench`, with JSON values. */
export async function openHost(browser, site, host, apps) {
  const page = await browser.openPage(site.address(host));
  while (!(await page.evaluate('"bench" in globalThis'))) await pause(20);
  const call = async (name, ...values) => {
    try {
      return await page.evaluate(`bench.${name}(${values.map((value) => JSON.stringify(value)).join()})`);
    } catch (error) {
      throw new Error(`${host.label}: ${error.message}`);
    }
  };
  await call("connect", apps);
  await pause(SETTLE);
  return { ...page, call, until: (what, count = 1) => call("until", what, count) };
}
