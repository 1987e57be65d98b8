/** Runs before a document of another dialect, after the script that runs before every document. */
import { provideOpenai } from "./apps-sdk.js";
import { provideMcpUi } from "./mcp-ui.js";
import { Wire } from "./wire.js";

const script = document.currentScript as HTMLScriptElement;
const { dialects = "", proxy = "" } = script.dataset;
const wire = new Wire(proxy);
if (/apps-sdk/.test(dialects)) provideOpenai(wire);
if (/mcp-ui/.test(dialects)) provideMcpUi(wire, proxy);
script.remove();
