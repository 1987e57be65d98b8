/**
 * The changes of the settings file that add, change and remove providers of models.
 *
 * @module
 */
import { isRecord } from "@vitrine/protocol";
import type { NewModelProvider } from "@vitrine/wire";
import type { SettingsChange } from "../config/edit-settings.js";
import { parseJson } from "../config/json.js";
import { KNOWN_PROVIDERS } from "../config/model-settings.js";

/** A provider in the format of the file. */
export type WrittenModelProvider = Readonly<Record<string, unknown>>;

/** The reference to a secret. */
export const referenceTo = (secret: string): string => `\${secret:${secret}}`;

/** The part of a file about models. Invalid parts count as missing: the file is checked when it is read. */
export function writtenModels(text: string): {
  readonly providers: Readonly<Record<string, WrittenModelProvider>> | undefined;
  readonly use: string | undefined;
} {
  const whole: unknown = text.trim() === "" ? {} : parseJson(text);
  const model = isRecord(whole) && isRecord(whole["model"]) ? whole["model"] : {};
  const { providers, use } = model;
  const found = isRecord(providers)
    ? Object.fromEntries(
        Object.entries(providers).flatMap(([name, each]) => (isRecord(each) ? [[name, each]] : [])),
      )
    : undefined;
  return { providers: found, use: typeof use === "string" ? use : undefined };
}

/** Facts about a change that the file does not have. */
export interface ProviderChange {
  readonly provider: NewModelProvider;
  /** The checked address; undefined to keep the current one. */
  readonly address: { readonly url: string; readonly isPrivate: boolean } | undefined;
  /** The new secret of its key. */
  readonly secret: string | undefined;
  /** Providers of the environment: a list in the file replaces them, so they are written as well. */
  readonly fromEnvironment: readonly string[];
}

/**
 * Adds or changes a provider. A key stays with its address: if the address or the type changes, the file forgets the key,
 * because a page could send it elsewhere otherwise. Without an address, a provider of the same type keeps its own.
 */
export function savedProvider(text: string, change: ProviderChange): SettingsChange[] {
  const { provider, address, secret, fromEnvironment } = change;
  const { name, type } = provider;
  const { providers } = writtenModels(text);
  const before = providerIn(providers, name);
  const hasMoved = address !== undefined && before?.["url"] !== address.url;
  const isSame = before !== undefined && typeOf(name, before) === type && !hasMoved;
  const written: Record<string, unknown> = {
    ...(isSame ? before : type === typeOf(name, {}) ? {} : { type }),
    ...(address && { url: address.url, privateNetwork: address.isPrivate }),
    ...(secret !== undefined && { key: referenceTo(secret) }),
  };
  const others = providers ? [] : fromEnvironment.filter((each) => each !== name);
  return [
    ...others.map((each) => ({ path: ["model", "providers", each], value: {} })),
    { path: ["model", "providers", name], value: written },
  ];
}

/** Not a member of `Object.prototype`. */
export const providerIn = (
  providers: Readonly<Record<string, WrittenModelProvider>> | undefined,
  name: string,
): WrittenModelProvider | undefined =>
  providers && Object.hasOwn(providers, name) ? providers[name] : undefined;

/** The type of an entry, as the settings read it. */
export const typeOf = (name: string, { type }: WrittenModelProvider): string =>
  typeof type === "string" ? type : Object.hasOwn(KNOWN_PROVIDERS, name) ? name : "compatible";

/** Removes the key of a provider. */
export const withoutKey = (name: string): SettingsChange[] => [
  { path: ["model", "providers", name, "key"], value: undefined },
];

/** Removes a provider, and the selection of one of its models, which would be invalid without it. */
export function withoutProvider(text: string, name: string): SettingsChange[] {
  const { providers = {}, use } = writtenModels(text);
  const isLast = Object.keys(providers).every((each) => each === name);
  return [
    // An empty list would also hide the providers of the environment.
    { path: isLast ? ["model", "providers"] : ["model", "providers", name], value: undefined },
    ...(use?.startsWith(`${name}/`) ? [{ path: ["model", "use"], value: undefined }] : []),
  ];
}
