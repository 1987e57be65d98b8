/** A chat of the documentation, in a process of its own, and the requests of an attacker. */
import { spawn } from "node:child_process";
import { type OutgoingHttpHeaders, request } from "node:http";
import type { Browser } from "playwright-core";
import { onTestFinished } from "vitest";
import { serveSite } from "../browser.ts";
import { freePort } from "../free-port.ts";

/** Starts a chat that prints its address, on a free port; resolves with the address. The test ends it. */
export async function startProgram(
  cwd: string,
  args: readonly string[],
  more: Record<string, string> = {},
): Promise<string> {
  const env = { ...process.env, ...more, PORT: `${await freePort()}` };
  const child = spawn(process.execPath, args, { cwd, env });
  onTestFinished(() => void child.kill());
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (text: unknown): void => {
      output += text;
      const [, url] = /Open (http:\S+)/.exec(output) ?? [];
      if (url) resolve(url);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", () => reject(new Error(`it ended: ${output}`)));
  });
}

/** Sends a request exactly so; resolves with the status, the cookie and the text. */
export function sendExactly(
  { origin, pathname, search }: URL,
  { method = "GET", headers, body }: { method?: string; headers?: OutgoingHttpHeaders; body?: string } = {},
): Promise<{ status: number; cookie: string; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(origin + pathname + search, { method, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      const [cookie = ""] = answer.headers["set-cookie"]?.[0]?.split(";") ?? [];
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, cookie, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Statuses of requests that no page of a chat would send, by their names; `fine` is the page's own request. */
export async function statusesOf(
  address: URL,
  path: string,
  content: unknown,
): Promise<Record<string, number>> {
  const { origin } = address;
  const { cookie } = await sendExactly(address);
  const type = "application/json";
  const body = JSON.stringify(content);
  const attempts: Record<string, OutgoingHttpHeaders> = {
    fine: { cookie, origin, "content-type": type },
    // A page of another site sends this without a preflight, with the user's cookie where browsers send it.
    "another site": { cookie, origin: "https://evil.example", "content-type": "text/plain" },
    "an opaque page": { cookie, origin: "null", "content-type": type },
    "no origin": { cookie, "content-type": type },
    "another type": { cookie, origin, "content-type": "text/plain" },
    "no type": { cookie, origin },
    "another name": { cookie, origin, "content-type": type, host: "evil.example" },
    "no session": { origin, "content-type": type },
    "a guessed session": { cookie: "chat-session=guessed", origin, "content-type": type },
  };
  const statuses: Record<string, number> = {};
  for (const [name, headers] of Object.entries(attempts)) {
    const { status } = await sendExactly(new URL(path, origin), { method: "POST", headers, body });
    statuses[name] = status;
  }
  return statuses;
}

/** The answers of a chat that is safe. */
export const SAFE: Readonly<Record<string, number>> = {
  fine: 200,
  "another site": 403,
  "an opaque page": 403,
  "no origin": 403,
  "another type": 415,
  "no type": 415,
  "another name": 421,
  "no session": 401,
  "a guessed session": 401,
};

/**
 * Whether another page of the same site, which gets the user's cookie, can show the chat in a frame. It could lay something
 * over the button of a question, and lead a click there.
 */
export async function canBeFramed(browser: Browser, address: URL): Promise<boolean> {
  const frame = `<!doctype html><iframe src="${address.origin}/"></iframe>`;
  const site = await serveSite({ "/": frame });
  onTestFinished(() => site.close());
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(address.href);
  const answered = page.waitForResponse(`${address.origin}/`);
  await page.goto(`${site.origin()}/`);
  if ((await answered).status() !== 200) throw new Error("the page got no cookie");
  // Of a refused frame, the browser shows a page of its own.
  await page.waitForFunction(() => !document.querySelector("iframe")?.contentDocument);
  return page.frames().some((each) => each.url() === `${address.origin}/`);
}
