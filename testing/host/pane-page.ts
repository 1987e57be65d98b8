/** The host page, with a pane beside its conversation. Runs in the browser. */
import "./host-page.ts";
import { showInConversation, showInPane } from "../../examples/hosts/side-by-side.ts";

const panes = { showInConversation, showInPane };
/** Functions of the example that tests call in the page, as `panes`. */
export type PanesApi = typeof panes;
Object.assign(globalThis, { panes });
