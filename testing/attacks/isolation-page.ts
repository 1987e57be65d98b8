/** The host page of the isolation suite: the usual test page, plus functions for attacks. */

import { readDownload } from "@vitrine/guard";
import { ViewTools } from "@vitrine/host";
import "../host/host-page.ts";

const isolation = { ViewTools, readDownload };
/** Functions that attack tests call in the page, as `isolation`. */
export type IsolationApi = typeof isolation;
Object.assign(globalThis, { isolation });
