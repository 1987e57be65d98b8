/**
 * Describes everything that a settings file would do.
 *
 * @module
 */
import { KNOWN_PROVIDERS, parseJson } from "@vitrine/gateway";
import { visible, visibleAddress, visibleName } from "./visible-text.js";

type Values = Readonly<Record<string, unknown>>;

const isValues = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const SERVER_KEYS = ["mcpServers", "servers"] as const;
/** Variables that editors define: not secrets. */
const PLAIN = ["workspaceFolder", "userHome"];

/** The values of a file. Duplicate server names are accepted here: the reader uses neither. */
export function fileValues(text: string): Values {
  const values = parseJson(text, { twice: (_, parent) => SERVER_KEYS.some((key) => key === parent) });
  return isValues(values) ? values : {};
}

const serversOf = (values: Values): [string, unknown][] =>
  SERVER_KEYS.flatMap((key) => Object.entries(isValues(values[key]) ? values[key] : {}));

/** The names of its servers. */
export const serverNames = (values: Values): string[] => serversOf(values).map(([name]) => name);

/** Lines for the user: each program with its arguments, each URL, and every other value. */
export function contentLines(values: Values): string[] {
  const rest = Object.entries(values).filter(([key]) => !SERVER_KEYS.some((each) => each === key));
  return [
    ...serversOf(values).flatMap(([name, server]) => serverLines(name, server)),
    ...rest.flatMap(([key, value]) => leaves(visibleName(key), value)),
    ...referenceLines(values),
  ];
}

function serverLines(name: string, server: unknown): string[] {
  const shown = visibleName(name);
  if (!isValues(server)) return [`${shown}: ${written(server)}`];
  const { command, args, url, ...rest } = server;
  const words = [command, ...(Array.isArray(args) ? args : [args])].filter((word) => word !== undefined);
  return [
    ...(words.length > 0 ? [`${shown}: runs ${words.map(written).join(" ")}`] : []),
    ...(url === undefined
      ? []
      : [`${shown}: connects to ${typeof url === "string" ? visibleAddress(url) : written(url)}`]),
    ...Object.entries(rest).flatMap(([key, value]) => leaves(`${shown}: ${visibleName(key)}`, value)),
  ];
}

/** A line per value, at any depth. */
function leaves(path: string, value: unknown): string[] {
  if (isValues(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, each]) => leaves(`${path}.${visibleName(key)}`, each));
  return [`${path} = ${written(value)}`];
}

function written(value: unknown): string {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (!isValues(value)) return String(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${visibleName(key)}: ${written(each)}`)
    .join(", ")}}`;
}

/** Variables of model keys that are used implicitly: those of well-known providers. */
function modelKeys({ model }: Values): string[] {
  const providers = isValues(model) && isValues(model["providers"]) ? model["providers"] : {};
  return Object.entries(providers).flatMap(([name, provider]) => {
    const { type = name, key } = isValues(provider) ? provider : {};
    const known = Object.entries(KNOWN_PROVIDERS).find(([each]) => each === type);
    return known && key === undefined ? [known[1].variable] : [];
  });
}

/** The variables and secrets that it passes on. */
function referenceLines(values: Values): string[] {
  const found = [...JSON.stringify(values).matchAll(/\$\$\{|\$\{([^}]*)\}/g)].flatMap(
    ([, inside]) => inside ?? [],
  );
  const names = [
    ...found.map((inside) => inside.replace(/^env:/, "").replace(/:-.*$/s, "")),
    ...modelKeys(values),
  ];
  const [secrets, variables] = [true, false].map((isSecret) => [
    ...new Set(names.filter((each) => each.startsWith("secret:") === isSecret && !PLAIN.includes(each))),
  ]);
  const line = (what: string, list: readonly string[] = []): string[] =>
    list.length > 0 ? [`reads ${what}: ${list.map(visibleName).join(", ")}`] : [];
  return [
    ...line("your environment variables", variables),
    ...line(
      "your secrets",
      secrets?.map((each) => each.slice("secret:".length)),
    ),
  ];
}
