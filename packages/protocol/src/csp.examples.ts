import { buildCsp, connectionAllowlist } from "./csp.js";
import { narrowCsp } from "./narrowing.js";

export function policyOfAView() {
  //#region buildCsp
  const { policy, accepted, rejected } = buildCsp(
    { connectDomains: ["https://api.example.com", "https://x.example; script-src *"] },
    { frameAncestors: ["https://host.example"] },
  );
  // policy has "connect-src https://api.example.com" and no other connection rejected[0].field is
  // "csp.connectDomains[1]"
  //#endregion buildCsp
  return { policy, accepted, rejected };
}

export function allowlistHeader() {
  //#region connectionAllowlist
  const { accepted } = buildCsp({ connectDomains: ["wss://live.example.com"] });
  const header = connectionAllowlist(accepted);
  // header is (response-origin "https://live.example.com")
  //#endregion connectionAllowlist
  return header;
}

export function narrowerPolicy() {
  //#region narrowCsp
  const { accepted } = buildCsp({ frameDomains: ["https://maps.example"] });
  const { csp, narrowed } = narrowCsp(accepted, ["frame-domains"]);
  // csp is {}, and narrowed is { frameDomains: ["https://maps.example"] }
  //#endregion narrowCsp
  return { csp, narrowed };
}
