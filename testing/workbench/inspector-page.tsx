/**
 * A page with apps on the left and their inspector on the right: tests of the inspector open it through a gateway. Runs
 * in the browser.
 */
import "@vitrine/host/define";
import { createRoot } from "react-dom/client";
import { AppLog } from "../../packages/workbench/src/model/app/app-log.ts";
import { Workbench } from "../../packages/workbench/src/model/workbench.ts";
import { Diagnosis } from "../../packages/workbench/src/ui/inspector/diagnosis.tsx";
import { Inspector } from "../../packages/workbench/src/ui/inspector/inspector.tsx";
import { MessagesTab } from "../../packages/workbench/src/ui/inspector/messages.tsx";
import "../../packages/workbench/src/ui/styles.css";
import "./inspector-page.css";

const element = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no ${id}`);
  return found;
};

const api = {
  workbench: undefined as Workbench | undefined,
  violations: [] as string[],
  /** Shows the inspector of a workbench. */
  start(): void {
    const workbench = (api.workbench = new Workbench());
    createRoot(element("inspector")).render(<Inspector workbench={workbench} />);
  },
  /** Calls a tool, and adds its app to the page. */
  async call(server: string, tool: string, input: Record<string, unknown> = {}): Promise<string> {
    const { workbench } = api;
    if (!workbench) throw new Error("start it first");
    const item = workbench.conversation.call(server, tool, input, true);
    await new Promise<void>((resolve, reject) => {
      const stop = item.subscribe(() => {
        if (!item.app && !item.problem) return;
        stop();
        if (item.app) resolve();
        else reject(new Error(item.problem));
      });
    });
    const { app } = item;
    if (!app) throw new Error("no app");
    const place = document.createElement("div");
    const line = document.createElement("div");
    place.append(app.element, line);
    element("apps").append(place);
    createRoot(line).render(<Diagnosis app={app} />);
    workbench.select(app);
    return app.id;
  },
  /** Only the list of messages, with so many of them. */
  flood(many: number): void {
    const log = new AppLog();
    for (let n = 0; n < many / 2; n++) {
      const params = { name: "search", arguments: { text: `number ${n}`, page: n % 7 } };
      log.add({ direction: "in", message: { jsonrpc: "2.0", id: n, method: "tools/call", params } });
      const result = { content: [{ type: "text", text: `result of ${n}` }] };
      log.add({ direction: "out", message: { jsonrpc: "2.0", id: n, result } });
    }
    createRoot(element("inspector")).render(<MessagesTab log={log} />);
  },
};

document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
  api.violations.push(`${effectiveDirective} ${blockedURI}`),
);
/** Functions that tests call in the page, as `bench`. */
export type InspectorPageApi = typeof api;
Object.assign(globalThis, { bench: api });
