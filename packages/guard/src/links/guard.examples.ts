import { fileName, readDownload, warnedName } from "../download.js";
import { readLink } from "../link-policy.js";
import type { Upstream } from "../upstream/upstream.js";
import { type AuditRow, targetOf, writeAudit } from "./audit.js";
import { limitConcurrency } from "./concurrency.js";
import { askOnce, type ConsentAnswer, memoryConsents, type Question } from "./consent.js";
import { chain, type Link, type Next, type ViewCall } from "./link.js";
import { applyPolicy, defaultDecision } from "./policy.js";
import { limitRate } from "./rate.js";
import { isRefusal, Refusal } from "./refusal.js";
import { ResourceDirectory } from "./resource-directory.js";
import { ownServerOnly } from "./server-boundary.js";
import { limitSize, sizeOf } from "./size.js";
import { standardGuard } from "./standard.js";
import { fingerprint, ToolDirectory } from "./tool-directory.js";
import { onlyVisibleTools } from "./visibility.js";

type Show = (question: Question, signal: AbortSignal) => Promise<ConsentAnswer>;

export function chainExample(log: (line: string) => void) {
  //#region chain
  const timed: Link = async (call, next) => {
    const start = Date.now();
    try {
      return await next(call);
    } finally {
      log(`${call.method}: ${Date.now() - start} ms`);
    }
  };
  const readOnly: Link = (call, next) => {
    if (call.method === "tools/call") throw new Error("no tools here");
    return next(call);
  };
  // `timed` also sees the calls that `readOnly` refuses.
  const guard = chain(timed, readOnly);
  //#endregion chain
  return guard;
}

export async function isRefusalExample(guard: Link, call: ViewCall, next: Next, wait: (ms: number) => void) {
  //#region isRefusal
  try {
    return await guard(call, next);
  } catch (error) {
    if (isRefusal(error) && error.data.code === "rate-limited") wait(error.data.retryAfter ?? 1000);
    throw error;
  }
  //#endregion isRefusal
}

export async function toolDirectoryExample(upstream: Upstream) {
  //#region toolDirectory
  const tools = new ToolDirectory(upstream);
  const forTheModel = await tools.forModel();
  const forViews = await tools.forApp();
  //#endregion toolDirectory
  return { forTheModel, forViews };
}

export async function fingerprintExample(tools: ToolDirectory) {
  //#region fingerprint
  const tool = await tools.find("pay");
  const agreedTo = tool && fingerprint(tool);
  // Later: is it still the tool that the user agreed to?
  const now = await tools.find("pay");
  const isSame = now !== undefined && fingerprint(now) === agreedTo;
  //#endregion fingerprint
  return isSame;
}

export function onlyVisibleToolsExample(upstream: Upstream) {
  //#region onlyVisibleTools
  const guard = chain(onlyVisibleTools(new ToolDirectory(upstream)));
  //#endregion onlyVisibleTools
  return guard;
}

export async function resourceDirectoryExample(upstream: Upstream, tools: ToolDirectory) {
  //#region resourceDirectory
  const resources = new ResourceDirectory(upstream, tools);
  // The server has the template "video://{id}", and lists nothing.
  const yes = await resources.has("video://42");
  const no = await resources.has("file:///etc/passwd");
  //#endregion resourceDirectory
  return { yes, no };
}

export function ownServerOnlyExample(upstream: Upstream, resources: ResourceDirectory) {
  //#region ownServerOnly
  const boundary = ownServerOnly(upstream.server, resources, {
    // This server serves tiles that it neither lists nor has a template for.
    allowResource: (uri) => /^tile:\/\/\d+\/\d+\/\d+$/.test(uri),
  });
  //#endregion ownServerOnly
  return boundary;
}

export function sizeOfExample() {
  //#region sizeOf
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const isTooLarge = sizeOf(cycle, 1_000_000) > 1_000_000;
  //#endregion sizeOf
  return isTooLarge;
}

export function limitSizeExample() {
  //#region limitSize
  const link = limitSize({ params: { "ui/message": 20_000 }, result: 1_000_000 });
  //#endregion limitSize
  return link;
}

export function limitRateExample() {
  //#region limitRate
  const link = limitRate({ person: { burst: 3, perSecond: 0.2 } });
  //#endregion limitRate
  return link;
}

export function limitConcurrencyExample() {
  //#region limitConcurrency
  const link = limitConcurrency({ perView: 4, total: 32 });
  //#endregion limitConcurrency
  return link;
}

export function memoryConsentsExample(upstreams: Upstream[], show: Show) {
  //#region memoryConsents
  // A store for all servers: an answer is stored by the server's name.
  const consents = memoryConsents();
  const guards = upstreams.map((upstream) => standardGuard(upstream, { ask: show, consents }));
  //#endregion memoryConsents
  return guards;
}

export async function askOnceExample(show: Show, view: string, server: string) {
  //#region askOnce
  const isAllowed = askOnce(show);
  const mayUseCamera = await isAllowed({
    view,
    server,
    method: "camera",
    subject: "",
    fingerprint: "",
    title: "Camera",
    params: {},
    reason: "The app wants to see through your camera.",
  });
  //#endregion askOnce
  return mayUseCamera;
}

export function defaultDecisionExample() {
  //#region defaultDecision
  const reading = defaultDecision({ method: "resources/read" }); // "allow"
  const unknownTool = defaultDecision({ method: "tools/call" }); // "ask"
  //#endregion defaultDecision
  return { reading, unknownTool };
}

export function applyPolicyExample(tools: ToolDirectory, show: Show) {
  //#region applyPolicy
  const link = applyPolicy(tools, {
    policy: {
      "tools/call:refresh": "allow",
      "ui/open-link:docs.example.com": "allow",
      "ui/download-file": "deny",
    },
    ask: show,
  });
  //#endregion applyPolicy
  return link;
}

export function writeAuditExample(save: (row: AuditRow) => Promise<void>, warn: (error: unknown) => void) {
  //#region writeAudit
  const link = writeAudit({ sink: save, onerror: warn });
  //#endregion writeAudit
  return link;
}

export function targetOfExample() {
  //#region targetOf
  const target = targetOf({ method: "ui/open-link", params: { url: "https://evil.example/?secret" } });
  // "evil.example"
  //#endregion targetOf
  return target;
}

export function standardGuardExample(upstream: Upstream, show: Show, save: (row: AuditRow) => void) {
  //#region standardGuard
  const guard = standardGuard(upstream, {
    ask: show, // (question, signal) => { answer: "allow", remember: "session" }
    audit: { sink: save },
  });
  // A guard for every bridge of this server.
  //#endregion standardGuard
  return guard;
}

export function readLinkExample() {
  //#region readLink
  const link = readLink("https://xn--80ak6aa92e.com/login");
  const shown = link.ok ? `Open ${link.display}?` : link.message;
  // "Open xn--80ak6aa92e.com (аррӏе.com)?", which is not apple.com
  //#endregion readLink
  return shown;
}

export function readDownloadExample() {
  //#region readDownload
  const resource = { uri: "file:///../../report.csv", mimeType: "text/csv", text: "a,b" };
  const downloads = readDownload([{ type: "resource", resource }]);
  const names = downloads.ok ? downloads.files.map(({ name }) => name) : downloads.message;
  // ["report.csv"]
  //#endregion readDownload
  return names;
}

export function fileNameExample() {
  //#region fileName
  const name = fileName({ type: "resource_link", uri: "note://1", name: "invoice.pdf\u202E.exe" });
  // "invoice_pdf.exe"
  //#endregion fileName
  return name;
}

export function warnedNameExample() {
  //#region warnedName
  const shown = warnedName("invoice_pdf.exe");
  // "invoice_pdf.exe (a program: it runs when it is opened)"
  //#endregion warnedName
  return shown;
}

export function refusalExample() {
  //#region refusal
  const noSecrets: Link = (call, next) => {
    if (call.params["name"] === "read_secrets") throw new Refusal("not-allowed", "not for apps");
    return next(call);
  };
  //#endregion refusal
  return noSecrets;
}
