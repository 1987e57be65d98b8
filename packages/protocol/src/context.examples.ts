import { diffHostContext, mergeHostContext } from "./context.js";
import type { HostContext } from "./hosts.js";

export function merge() {
  //#region mergeHostContext
  const before: HostContext = { theme: "light", locale: "en-GB" };
  const after = mergeHostContext(before, { theme: "dark", locale: null });
  // after is { theme: "dark" }; before is unchanged.
  //#endregion mergeHostContext
  return { before, after };
}

export function diff() {
  //#region diffHostContext
  const before: HostContext = { theme: "light", displayMode: "inline", locale: "en-GB" };
  const after: HostContext = { theme: "dark", displayMode: "inline" };
  const update = diffHostContext(before, after);
  // update is { theme: "dark", locale: null }
  //#endregion diffHostContext
  return update;
}
