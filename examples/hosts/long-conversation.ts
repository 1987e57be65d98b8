import { appBudget, type McpAppElement } from "@vitrine/host";

export function follow(app: McpAppElement) {
  // Apps of this page that run far from the screen. `Infinity` releases none.
  appBudget.most = 20;
  // This one always runs.
  app.toggleAttribute("keep", true);
  app.addEventListener("released", () => app.classList.add("resting"));
  app.addEventListener("restored", () => app.classList.remove("resting"));
}
