import { expect, it } from "vitest";
import { hostOf } from "./link-host.js";

it.each([
  ["https://pay.example/a?b#c", "pay.example"],
  ["http://localhost:8080/", "localhost:8080"],
  // The part before the @ is not the host.
  ["https://bank.example@evil.example/", "evil.example"],
  ["https://xn--bnk-hoa.example/", "xn--bnk-hoa.example"],
  // A letter that looks like another is shown in Punycode.
  ["https://b\u0430nk.example/", "xn--bnk-6cd.example"],
])("%s leads to %s", (address, host) => {
  expect(hostOf(address)).toBe(host);
});

it.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "ui://a/b", "nowhere", ""])(
  "%s is never opened",
  (address) => {
    expect(hostOf(address)).toBeUndefined();
  },
);
