import { type GatewaySettings, startGateway } from "@vitrine/gateway";
import { GatewayError } from "./gateway-error.js";

export async function gatewayErrorExample(settings: GatewaySettings, log: (line: string) => void) {
  //#region gatewayError
  try {
    await startGateway(settings);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // error.data.code has a fixed meaning, such as "config-invalid".
    log(`${error.data.code}: ${error.message}`);
  }
  //#endregion gatewayError
}
