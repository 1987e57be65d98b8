import { allowAttribute } from "./permissions.js";

export function allowOfAFrame() {
  //#region allowAttribute
  const asked = { microphone: {}, clipboardWrite: {}, usb: {} };
  const allow = allowAttribute(asked, (permission) => permission !== "microphone");
  // allow is "clipboard-write"
  //#endregion allowAttribute
  return allow;
}
