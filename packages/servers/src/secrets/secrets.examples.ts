import { readMasterKeys } from "./master-keys.js";
import { openSecrets } from "./secrets.js";

export async function openSecretsExample(folder: string) {
  //#region openSecrets
  const secrets = await openSecrets({ folder, keyring: "none" });
  await secrets.set("settings/WEATHER_KEY", "s3cret");
  const key = await secrets.get("settings/WEATHER_KEY");
  //#endregion openSecrets
  return key;
}

export async function readMasterKeysExample() {
  //#region readMasterKeys
  const [newest, ...older] = await readMasterKeys({ file: "/etc/vitrine/secrets.key" });
  //#endregion readMasterKeys
  return { newest, older };
}
