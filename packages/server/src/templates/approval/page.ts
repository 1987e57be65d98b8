/** The page of the approval. */

import { callTool } from "../page/call.js";
import { element, newId, put, set } from "../page/dom.js";
import { type Kit, type Page, startPage } from "../page/kit.js";
import { Said } from "../page/said.js";
import { sendMessage, tellModel } from "../page/tell.js";
import { writeNumber } from "../page/write.js";
import { type ApprovalRequest, requestOf } from "./request.js";
import type { ApprovalConfig } from "./template.js";

startPage<ApprovalConfig>("approval", "Approval", (kit) => new Approval(kit));

class Approval implements Page {
  readonly #kit: Kit<ApprovalConfig>;
  readonly #shown = element("div");
  readonly #form = element("div", { class: "decide" });
  readonly #said = new Said();
  readonly #reason = element("textarea", { id: newId(), rows: 2 });
  #request: ApprovalRequest | undefined;
  #input: Record<string, unknown> = {};
  #isDecided = false;

  constructor(kit: Kit<ApprovalConfig>) {
    this.#kit = kit;
    put(kit.place, this.#shown, this.#form, this.#said.node);
  }

  /** Shows the request while the tool runs. Users can decide once the tool has answered. */
  input(input: Record<string, unknown>): void {
    this.#input = input;
    this.#show(requestOf(input, this.#kit.config));
  }

  data(data: unknown, text: string): void {
    const isRecord = typeof data === "object" && data !== null;
    this.#request = requestOf(isRecord ? data : { ...this.#input, summary: text }, this.#kit.config);
    const isNothing = !this.#show(this.#request);
    if (isNothing) put(this.#form, "There is nothing to approve.");
    else if (!this.#isDecided) this.#ask();
  }

  /** Keeps the user's input and the confirmation; everything else is drawn again. */
  redraw(): void {
    if (this.#request) this.#show(this.#request);
  }

  #show({ title, summary, details }: ApprovalRequest): boolean {
    put(
      this.#shown,
      title && element("h2", {}, title),
      summary && element("p", {}, summary),
      details.length > 0 &&
        element(
          "dl",
          {},
          ...details.map(([name, value]) =>
            element("div", {}, element("dt", {}, name), element("dd", {}, this.#written(value))),
          ),
        ),
    );
    return !!title || !!summary || details.length > 0;
  }

  #written(value: unknown): Node | string {
    if (typeof value === "number") return writeNumber(this.#kit, value, { maximumFractionDigits: 20 });
    if (typeof value === "boolean") return value ? "Yes" : "No";
    if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return value.join(", ");
    return typeof value === "object" && value !== null
      ? element("pre", { tabindex: 0, dir: "ltr" }, JSON.stringify(value, null, 2))
      : `${value ?? ""}`;
  }

  #button(label: string, kind: string, press: () => unknown): HTMLButtonElement {
    const onclick = (event: Event): unknown => (event.currentTarget as Element).ariaDisabled || press();
    return element("button", { type: "button", class: kind, onclick }, label);
  }

  #ask(): void {
    const { reason, reasonToReject, approveLabel = "Approve", rejectLabel = "Reject" } = this.#kit.config;
    const isDangerous = this.#request?.isDangerous;
    const approve = (): unknown => (isDangerous ? this.#askAgain(approveLabel) : this.#decide(true));
    put(
      this.#form,
      (reason || reasonToReject) &&
        element(
          "label",
          { for: this.#reason.id },
          reasonToReject ? "Reason (required to reject)" : "Reason (optional)",
        ),
      (reason || reasonToReject) && this.#reason,
      element(
        "div",
        { class: "row" },
        this.#button(approveLabel, isDangerous ? "danger" : "main", approve),
        this.#button(rejectLabel, "", () => this.#reject()),
      ),
    );
  }

  #askAgain(label: string): void {
    this.#kit.complain();
    const no = this.#button("No, go back", "", () => {
      this.#ask();
      this.#form.querySelector("button")?.focus();
    });
    const yes = this.#button(`Yes, ${label.toLocaleLowerCase(this.#kit.locale)}`, "danger", () =>
      this.#decide(true),
    );
    put(
      this.#form,
      element("p", { class: "sure", id: "sure" }, "This is dangerous. Are you sure?"),
      element("div", { class: "row", role: "group", "aria-labelledby": "sure" }, yes, no),
    );
    no.focus();
  }

  #reject(): unknown {
    const isMissing = !!this.#kit.config.reasonToReject && !this.#reason.value.trim();
    set(this.#reason, "aria-invalid", isMissing && "true");
    if (!isMissing) return this.#decide(false);
    this.#kit.complain("Give a reason to reject it.");
    return this.#reason.focus();
  }

  async #decide(approved: boolean): Promise<void> {
    const { title, tool, approveTool, rejectTool, toolArgs } = this.#kit.config;
    const { args, title: own, summary } = this.#request as ApprovalRequest;
    const name = (approved ? approveTool : rejectTool) ?? tool;
    const reason = this.#reason.value.trim();
    const decision = approved ? "Approved" : "Rejected";
    const given = {
      ...toolArgs,
      ...args,
      ...(name === tool && { approved }),
      ...(reason && { reason }),
    };
    this.#lock(true);
    const words = `${decision}: ${own || summary || title || "the request"}.${reason ? ` Reason: ${reason}` : ""}`;
    let text = "";
    if (name) {
      this.#said.say("Sending …", "status busy");
      const answer = await callTool(this.#kit, name, given);
      this.#said.say();
      if (!answer.ok) return this.#lock(false);
      text = answer.text;
    } else if (!(await sendMessage(this.#kit, words))) return this.#lock(false);
    this.#end(decision, reason, text);
    if (name) await tellModel(this.#kit, `${words} ${name} said: ${text}`, { ...given, approved });
  }

  /** Disables all buttons while an action runs. */
  #lock(isLocked: boolean): void {
    for (const button of this.#form.querySelectorAll("button"))
      set(button, "aria-disabled", isLocked && "true");
  }

  #end(decision: string, reason: string, text: string): void {
    this.#isDecided = true;
    this.#kit.complain();
    put(this.#form);
    this.#said.say(
      [decision, reason && `: ${reason}`, text && `\n${text}`].join(""),
      decision === "Approved" ? "said" : "said no",
    );
    // The pressed button is gone, so focus moves to the outcome.
    set(this.#said.node, "tabindex", -1);
    this.#said.node.focus();
  }
}
