import type { Ask, ConsentAnswer } from "@vitrine/guard";
import { guardApproval, oneLine } from "@vitrine/host";

/** Asks in a dialog of your own: `standardGuard(upstream, { ask: askInDialog })`. */
export const askInDialog: Ask = ({ server, title, reason, params }, signal) =>
  new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    const text = document.createElement("p");
    const details = document.createElement("pre");
    const hint = document.createElement("p");
    const deny = document.createElement("button");
    const allow = document.createElement("button");
    text.textContent = `${server} · ${oneLine(title)}: ${reason}`;
    details.textContent = JSON.stringify(params, null, 2);
    deny.textContent = "Deny";
    allow.textContent = "Allow once";

    const guard = guardApproval(dialog, () => {
      allow.ariaDisabled = `${!guard.isReady()}`;
      hint.textContent = guard.hint();
    });
    const finish = (answer: ConsentAnswer["answer"]) => {
      guard.stop();
      dialog.remove();
      resolve({ answer });
    };
    allow.onclick = (click) => guard.accepts(click) && finish("allow");
    deny.onclick = () => finish("deny");
    dialog.oncancel = () => finish("deny"); // Escape
    signal.addEventListener("abort", () => finish("deny")); // The app was closed.

    dialog.append(text, details, hint, deny, allow);
    document.body.append(dialog);
    dialog.showModal();
  });
