/** Makes requests that its policy blocks. */
import { App } from "@vitrine/view";
import { byId, make } from "../../page.js";

const app = new App({ name: "lab/breaks-csp", version: "1.0.0" });
await app.connect();
// Only policy violations matter, and those are reported by an event: the request fails in any case.
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
  byId("said").append(make("li", {}, `${effectiveDirective} stopped ${blockedURI}`));
});
const undeclared = (path: string): string => `https://example.invalid/${path}`;
const attempts: Record<string, () => unknown> = {
  fetch: () => fetch(undeclared("data.json")),
  image: () => make("img", { src: undeclared("picture.png"), alt: "" }),
  script: () => document.head.append(make("script", { src: undeclared("script.js") })),
};
for (const [name, attempt] of Object.entries(attempts)) {
  const button = make("button", { type: "button" }, `Try ${name}`);
  button.onclick = async () => {
    try {
      await attempt();
    } catch {
      // As expected.
    }
  };
  byId("buttons").append(button);
}
byId("buttons").querySelector("button")?.click();
