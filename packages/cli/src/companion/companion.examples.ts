import { addressOf, readAddress } from "./addresses.js";
import { readAgent } from "./agent.js";
import { Companion } from "./companion.js";
import type { CompanionGateway } from "./companion-gateway.js";
import type { CompanionHost } from "./companion-host.js";
import { GatewayHost } from "./gateway-host.js";
import { toolName } from "./names.js";
import { serveByHttp } from "./serve-http.js";

export function namesExample() {
  //#region toolName
  const name = toolName("weather", "forecast");
  // name is "weather__forecast"
  //#endregion toolName
  return name;
}

export function agentExample() {
  //#region readAgent
  const { name, label } = readAgent({ name: "claude-code", version: "2.1.0" });
  // name is "Claude Code", label is "Claude Code 2.1.0"
  //#endregion readAgent
  return { name, label };
}

export function addressesExample() {
  //#region addressOf
  const uri = addressOf("shop", "ui://cart/app.html");
  // uri is "ui://shop/cart/app.html"
  const { server, uri: own } = readAddress(uri) ?? {};
  // server is "shop", own is "ui://cart/app.html"
  //#endregion addressOf
  return { server, own };
}

export async function companionExample(host: CompanionHost, token: string) {
  //#region companion
  const companion = new Companion(host);
  const serving = await serveByHttp(companion, { port: 8190, token });
  //#endregion companion
  return serving;
}

export async function gatewayHostExample(gateway: CompanionGateway) {
  //#region gatewayHost
  const host = await GatewayHost.open({ gateway, user: "local" });
  const companion = new Companion(host);
  //#endregion gatewayHost
  return companion;
}
