import { App } from "@vitrine/view";

// Restores what the user did: it may be released ten seconds after the user's last action in it.
export const app = new App(
  { name: "map", version: "1.0.0" },
  { experimental: { "vitrine/release": { when: "always" } } },
);
// An app that must keep running says `{ when: "never" }`.
