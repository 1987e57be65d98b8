/**
 * Checks the settings files of `deploy` with the gateway's own reader.
 *
 * @module
 */
import { readSettings } from "@vitrine/gateway";

/**
 * The problems of a settings file. Each variable that it refers to has a value; the options are those of the image's
 * command line.
 */
export async function settingsProblems(text: string): Promise<string[]> {
  const env: Record<string, string> = { HOME: "/data" };
  for (const [, name = ""] of text.matchAll(/\$\{(VITRINE_\w+)\}/g)) env[name] = variable(name);
  try {
    await readSettings(text, {
      env,
      overrides: { listen: { host: "0.0.0.0", allowRemote: true }, dataFolder: "/data" },
    });
  } catch (error) {
    return (error as Error).message.split("\n");
  }
  return [];
}

function variable(name: string): string {
  if (name === "VITRINE_DATABASE") return "postgres://vitrine@127.0.0.1/vitrine";
  if (name === "VITRINE_NODE") return "127.0.0.2";
  return name === "VITRINE_NODE_ADDRESS" ? "127.0.0.2:8092" : "0123456789abcdef0123456789abcdef";
}
