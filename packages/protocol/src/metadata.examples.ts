import { readInvocationTexts } from "./dialects/apps-sdk.js";
import { readEmbeddedUi } from "./dialects/embedded-ui.js";
import { isVisibleTo, readResourceUi, readToolUi, readUiLink } from "./metadata.js";
import { readUiDocument } from "./ui-document.js";
import { isUiMimeType, readUiCapability, UI_MIME_TYPE, uiExtension } from "./ui-extension.js";

export function uiOfATool() {
  //#region readToolUi
  const ui = { resourceUri: "ui://shop/cart.html", visibility: ["app"] };
  const tool = { name: "refresh", _meta: { ui } };
  const { resourceUri, visibility, problems } = readToolUi(tool);
  // resourceUri is "ui://shop/cart.html", visibility is ["app"], problems is empty
  //#endregion readToolUi
  return { resourceUri, visibility, problems };
}

export function toolsForTheModel() {
  //#region isVisibleTo
  const tools = [{ name: "show" }, { name: "refresh", _meta: { ui: { visibility: ["app"] } } }];
  const forTheModel = tools.filter((tool) => isVisibleTo(tool, "model"));
  // forTheModel has only "show"
  //#endregion isVisibleTo
  return forTheModel;
}

export function uiOfACall() {
  //#region readUiLink
  const tool = { name: "show" };
  const result = { content: [], _meta: { ui: { resourceUri: "ui://shop/cart.html" } } };
  const { resourceUri, from } = readUiLink({ tool, result });
  // resourceUri is "ui://shop/cart.html", from is "result"
  //#endregion readUiLink
  return { resourceUri, from };
}

export function metadataOfAResource() {
  //#region readResourceUi
  const content = { uri: "ui://shop/cart.html", _meta: { ui: { prefersBorder: true } } };
  const listing = { uri: "ui://shop/cart.html", _meta: { ui: { domain: "shop" } } };
  const { meta, from } = readResourceUi({ content, listing });
  // meta is { prefersBorder: true }, from is "content"
  //#endregion readResourceUi
  return { meta, from };
}

export function documentOfAResource() {
  //#region readUiDocument
  const uri = "ui://shop/cart.html";
  const result = { contents: [{ uri, mimeType: UI_MIME_TYPE, text: "<!doctype html><p>Cart" }] };
  const document = readUiDocument(result, uri, { maxBytes: 5_000_000 });
  const shown = document.ok ? document.html : `The view cannot be shown: ${document.message}`;
  //#endregion readUiDocument
  return shown;
}

export function mimeTypes() {
  //#region isUiMimeType
  const yes = isUiMimeType('text/html; profile="mcp-app"');
  const no = isUiMimeType("text/html");
  //#endregion isUiMimeType
  return { yes, no };
}

export function supportOfAClient() {
  //#region readUiCapability
  const capabilities = { extensions: uiExtension() };
  const { support } = readUiCapability(capabilities);
  // support is "yes"; for undefined it is "unknown", for {} it is "no"
  //#endregion readUiCapability
  return support;
}

export function advertise() {
  //#region uiExtension
  const capabilities = { extensions: { ...uiExtension() } };
  //#endregion uiExtension
  return capabilities;
}

export function statusTexts() {
  //#region readInvocationTexts
  const tool = { name: "search", _meta: { "openai/toolInvocation/invoking": "Searching…" } };
  const { invoking } = readInvocationTexts(tool);
  // invoking is "Searching…"
  //#endregion readInvocationTexts
  return invoking;
}

export function uiInAResult() {
  //#region readEmbeddedUi
  const resource = { uri: "ui://shop/cart", mimeType: "text/html", text: "<!doctype html><p>Cart" };
  const found = readEmbeddedUi({ content: [{ type: "resource", resource }] });
  const shown = found?.document.ok ? found.document.html : undefined;
  //#endregion readEmbeddedUi
  return shown;
}
