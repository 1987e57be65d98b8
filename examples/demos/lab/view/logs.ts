/** Logs at every level, to the host and to the console. */
import { App } from "@vitrine/view";
import { byId, make, problemOf } from "../../page.js";

const app = new App({ name: "lab/logs", version: "1.0.0" });
const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
let count = 0;
for (const level of levels) {
  const button = make("button", { type: "button" }, level);
  button.onclick = async () => {
    const data = { text: `line ${++count}`, level };
    try {
      await app.sendLog({ level, logger: "lab", data });
      byId("said").textContent = `Sent line ${count} as ${level}.`;
    } catch (error) {
      byId("said").textContent = problemOf(error);
    }
  };
  byId("buttons").append(button);
}
byId("throw").onclick = () => {
  byId("said").textContent = "Thrown: the host hears of it as an error of the page.";
  throw new Error("thrown on purpose");
};
await app.connect();
await app.sendLog({ level: "info", logger: "lab", data: "the app is ready" });
