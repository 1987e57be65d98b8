/** A gateway inside a program. */
//#region embed
import { readSettingsFile, startGateway } from "@vitrine/gateway";

const settings = await readSettingsFile("mcp.json");
const gateway = await startGateway(settings, { static: { folder: "page" } });
// This link signs one browser in. With `users` in the settings, name the user: gateway.loginUrl("ana").
console.log(gateway.loginUrl());
process.once("SIGTERM", () => gateway.close());
//#endregion embed
