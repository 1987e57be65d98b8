import { scrub } from "./scrub.js";

export function scrubExample() {
  //#region scrub
  const text = scrub("GET https://as.example/token?code=4711 failed");
  // "GET https://as.example/token?[removed] failed"
  //#endregion scrub
  return text;
}
