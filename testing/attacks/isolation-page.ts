/** The host page of the isolation suite: the one of every test, and what attacks on it need besides. */

import { readDownload } from "@vitrine/guard";
import { AppTools } from "@vitrine/host";
import "../host/host-page.ts";

const isolation = { AppTools, readDownload };
/** What tests of attacks call in the page, as `isolation`. */
export type IsolationApi = typeof isolation;
Object.assign(globalThis, { isolation });
