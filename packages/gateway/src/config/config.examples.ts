import { commandLineServer } from "./command-line.js";
import type { GatewaySettings } from "./config.js";
import { editSettings } from "./edit-settings.js";
import { readSettings, readSettingsFile } from "./read.js";
import { readVariableFiles } from "./variable-files.js";
import { watchSettings } from "./watch.js";
import { changeSettingsFile } from "./write-settings.js";

export async function readSettingsExample() {
  //#region readSettings
  const settings = await readSettings(
    `{
      "mcpServers": {
        "weather": {
          "command": "weather-server",
          "env": { "API_KEY": "\${WEATHER_KEY}" },
          "isolation": { "network": true, "memory": "512MB" }
        }
      }
    }`,
    { env: { HOME: "/home/ana", WEATHER_KEY: "s3cret" }, overrides: { listen: { port: 9000 } } },
  );
  //#endregion readSettings
  return settings;
}

export async function readSettingsFileExample() {
  //#region readSettingsFile
  const settings = await readSettingsFile("mcp.json", { overrides: { listen: { port: 0 } } });
  //#endregion readSettingsFile
  return settings;
}

export function commandLineServerExample() {
  //#region commandLineServer
  const weather = commandLineServer(["npx", "-y", "@example/server-weather"]); // named "server-weather"
  const remote = commandLineServer(["https://mcp.example.com/mcp"]); // named "mcp.example.com"
  //#endregion commandLineServer
  return { weather, remote };
}

export async function watchSettingsExample(
  file: string,
  apply: (settings: GatewaySettings) => Promise<void>,
  log: (line: string) => void,
) {
  //#region watchSettings
  const watch = await watchSettings(file, apply, { onerror: (error) => log(error.message) });
  await apply(watch.current);
  //#endregion watchSettings
  return watch;
}

export function readVariableFilesExample(key = "/run/secrets/key") {
  //#region readVariableFiles
  const env = { VITRINE_KEY_FILE: key };
  readVariableFiles(env); // env is now { VITRINE_KEY: "<text of the file>" }
  //#endregion readVariableFiles
  return env;
}

export function editSettingsExample() {
  //#region editSettings
  const text = editSettings('{\n  // my servers\n  "mcpServers": {}\n}\n', [
    { path: ["mcpServers", "lab"], value: { url: "http://127.0.0.1:3000/mcp" } },
  ]);
  //#endregion editSettings
  return text;
}

export async function changeSettingsFileExample(file: string) {
  //#region changeSettingsFile
  await changeSettingsFile(file, () => [{ path: ["mcpServers", "lab", "disabled"], value: true }]);
  //#endregion changeSettingsFile
}
