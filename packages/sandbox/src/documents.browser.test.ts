/** A view's document in a real parser: the inserted prefix does not change it. */
import { Sandbox } from "@vitrine/sandbox";
import fc from "fast-check";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedChromium } from "../../../testing/browser.ts";

const sandbox = new Sandbox({
  secret: "a secret of sixteen bytes or more",
  origin: "https://{role}-{label}.apps.example.com",
  hosts: ["https://chat.example.com"],
});

let browser: Browser;
beforeAll(async () => {
  browser = await sharedChromium();
});
afterAll(() => browser?.close());

/** Prefixes that decide a document's mode, well formed and not. */
const TOKENS = [
  "<!doctype html>",
  "<!DOCTYPE\nHTML>",
  '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 3.2//EN">',
  '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
  '<!DOCTYPE html "x>',
  "<!doctype",
  "<!-- a -->",
  "<!-->",
  "<!--->",
  "<!-- a --!>",
  "<!-- a -- >",
  "<!--",
  "-->",
  "<?xml version='1.0'?>",
  "<!x>",
  "<![CDATA[x]]>",
  "</>",
  "</ x>",
  "</p>",
  "<>",
  "\n",
  " ",
  "\f",
  "\u00a0",
  "\u000b",
  "text",
  "<p>",
  "<html lang=en>",
  "<head>",
  "<title>t</title>",
];

it("S05: a document has the mode that it has alone, however it begins", async () => {
  const documents = fc.sample(
    fc.array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 6 }).map((tokens) => tokens.join("")),
    1000,
  );
  const served = await Promise.all(
    [...TOKENS, ...documents].map(async (html) => {
      const { src } = await sandbox.register({ server: "s", html });
      const response = await sandbox.fetch(new Request(src.replace("://p", "://v")));
      return { html, text: await response.text() };
    }),
  );
  const page = await browser.newPage();
  const different = await page.evaluate((all) => {
    const mode = (text: string): string => new DOMParser().parseFromString(text, "text/html").compatMode;
    return all.filter(({ html, text }) => mode(html) !== mode(text)).map(({ html }) => html);
  }, served);
  expect(different).toEqual([]);
});
