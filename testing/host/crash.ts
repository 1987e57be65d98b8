/** Ends processes of frames, as a browser does when it runs out of memory. */
import type { CDPSession, Page } from "playwright-core";

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "none");

/**
 * Ends the process that a view runs in. Returns a function that runs code in the page without Playwright,
 * for which a page is gone once the process of one of its frames is.
 */
export async function crash(page: Page, url: string): Promise<(expression: string) => Promise<unknown>> {
  const past = await page.context().newCDPSession(page);
  const session: CDPSession = (await page.context().browser()?.newBrowserCDPSession()) as CDPSession;
  const { targetInfos } = await session.send("Target.getTargets");
  const target = targetInfos.find(
    (info) => info.type === "iframe" && url.startsWith(originOf(info.url).replace("//p.", "//v.")),
  );
  if (!target) throw new Error(`no process of ${url}`);
  const { sessionId } = await session.send("Target.attachToTarget", {
    targetId: target.targetId,
    flatten: false,
  });
  await session.send("Target.sendMessageToTarget", {
    sessionId,
    message: JSON.stringify({ id: 1, method: "Page.crash" }),
  });
  return async (expression) => {
    const options = { expression, returnByValue: true, awaitPromise: true };
    return (await past.send("Runtime.evaluate", options)).result.value;
  };
}
