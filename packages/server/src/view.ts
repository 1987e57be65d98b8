/**
 * A view: the document that shows a tool's results, and its permissions in the browser.
 *
 * @module
 */
import {
  buildCsp,
  type Problem,
  type ResourceCsp,
  type ResourcePermissions,
  readResourceUi,
} from "@vitrine/protocol";
import { checkedText } from "./check-document.js";
import { DefinitionError } from "./errors.js";
import { fingerprintOf } from "./fingerprint.js";
import { checkName } from "./names.js";
import type { AnyTemplate, ShownTool, Template } from "./templates/template.js";

/** The source of the document. */
export type DocumentSource =
  /** The document itself, or a function that returns it. */
  | { readonly html: string | (() => string | Promise<string>) }
  /**
   * A file with the whole document. Prefer a URL: a relative path starts at the process's working directory.
   */
  | { readonly file: string | URL }
  /** A bundler's output folder; everything that its page needs is inlined. */
  | { readonly folder: string | URL; readonly entry?: string | undefined }
  /** A ready-made page with its configuration. */
  | { readonly template: AnyTemplate; readonly config?: object | undefined };

/** A view without its document. */
export interface ViewDetails {
  /** Part of its address; unique in its server. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** Origins it may use; none by default. */
  readonly csp?: ResourceCsp | undefined;
  /** Browser features that it requests. */
  readonly permissions?: ResourcePermissions | undefined;
  /** A dedicated, stable origin, in the host's format. */
  readonly domain?: string | undefined;
  readonly prefersBorder?: boolean | undefined;
  /**
   * A fixed address such as `ui://weather/forecast`. By default, the address contains the document's hash.
   */
  readonly uri?: string | undefined;
}

/** Options of {@link view}. A template's configuration has that template's type. */
export type ViewOptions<Config extends object = object> = ViewDetails &
  (
    | Exclude<DocumentSource, { template: unknown }>
    | ({ readonly template: Template<Config> } & (object extends Config
        ? { readonly config?: NoInfer<Config> | undefined }
        : { readonly config: NoInfer<Config> }))
  );

/** A view definition. */
export interface ViewDefinition extends ViewDetails {
  readonly source: DocumentSource;
}

/**
 * Defines a view.
 *
 * @example
 * ```ts source="./server.examples.ts#view"
 * export const forecastView = view({
 *   name: "forecast",
 *   title: "Forecast",
 *   file: new URL("./forecast.html", import.meta.url),
 *   csp: { connectDomains: ["https://api.weather.example"] },
 * });
 * ```
 *
 * @throws {DefinitionError} `name-invalid`, `meta-invalid`
 */
export function view<Config extends object = object>(options: ViewOptions<Config>): ViewDefinition {
  const { name, title, description, csp, permissions, domain, prefersBorder, uri, ...source } = options;
  checkName(name, "view");
  if (uri !== undefined && !/^ui:\/\/[^\s/]/.test(uri))
    throw new DefinitionError(
      "meta-invalid",
      `the view ${name}: uri: ${JSON.stringify(uri)} is not a ui:// address`,
    );
  const details = { name, title, description, csp, permissions, domain, prefersBorder, uri };
  const ui = uiOf(details);
  const [problem] = ui ? readResourceUi({ content: { _meta: { ui } } }).problems : [];
  if (problem) throw new DefinitionError("meta-invalid", `the view ${name}: ${sentence(problem)}`);
  // Sources that a host would reject are reported to the author now.
  const [rejected] = csp ? buildCsp(csp).rejected : [];
  if (rejected)
    throw new DefinitionError("meta-invalid", `the view ${name}: ${rejected.field} ${rejected.reason}`);
  return { ...details, source: source as DocumentSource };
}

const sentence = ({ field, message }: Problem): string => `${field}: ${message}`;

/** `_meta.ui` of the view's resource; undefined if nothing is set. */
export function uiOf({ csp, permissions, domain, prefersBorder }: ViewDetails): object | undefined {
  const ui = {
    ...(csp !== undefined && { csp }),
    ...(permissions !== undefined && { permissions }),
    ...(domain !== undefined && { domain }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  };
  return Object.keys(ui).length > 0 ? ui : undefined;
}

/** A document. */
export interface Document {
  readonly text: string;
  /** Hash of the document and of the view's metadata. */
  readonly hash: string;
}

/**
 * Reads a view's document.
 *
 * @param tool the tool of the view, for a template that uses it
 * @throws {DefinitionError}
 */
export async function documentOf(view: ViewDefinition, limit: number, tool?: ShownTool): Promise<Document> {
  const text = await textFrom(view, limit, tool).catch((cause: unknown) => {
    throw cause instanceof DefinitionError ? cause : failed(view.name, cause);
  });
  return documentWith(view, text);
}

/**
 * The document of a view that contains it in its definition; undefined if it must be read.
 *
 * @throws {DefinitionError}
 */
export function documentAtOnce(view: ViewDefinition, limit: number): Document | undefined {
  const { source } = view;
  // In plain JavaScript there may be several sources: the others win.
  if ("file" in source || "folder" in source || "template" in source) return undefined;
  return typeof source.html === "string" ? documentWith(view, checked(view, source.html, limit)) : undefined;
}

function documentWith(view: ViewDefinition, text: string): Document {
  // A file is empty for a moment while an editor writes it.
  if (text.trim() === "")
    throw new DefinitionError("view-missing", `the document of the view ${view.name} is empty: write it`);
  // Metadata is part of the hash: with another policy, it is another document.
  const ui = uiOf(view);
  return { text, hash: fingerprintOf(ui ? JSON.stringify(ui) : "", text) };
}

async function textFrom(view: ViewDefinition, limit: number, tool?: ShownTool): Promise<string> {
  const { source } = view;
  if ("file" in source || "folder" in source) return (await viewFiles()).textOf(source, limit);
  const html =
    "template" in source
      ? (await rendering()).renderTemplate(source.template, (source.config ?? {}) as never, tool)
      : typeof source.html === "string"
        ? source.html
        : await source.html();
  if (typeof html !== "string") throw new TypeError(`html must return a string, not ${typeof html}`);
  return checked(view, html, limit);
}

const checked = ({ name }: ViewDefinition, html: string, limit: number): string =>
  checkedText(html, `the document of the view ${name}`, limit);

/** Wraps an error of the author's code, which concerns only this view. */
function failed(name: string, cause: unknown): DefinitionError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new DefinitionError(
    "view-failed",
    `the document of the view ${name} could not be created: ${message}`,
    { cause },
  );
}

// Loaded on first use, so that servers without such views start faster.
let files: Promise<typeof import("./view-files.js")> | undefined;
let templates: Promise<typeof import("./templates/render.js")> | undefined;

/** Loads the module that reads files. */
export const viewFiles = (): Promise<typeof import("./view-files.js")> =>
  (files ??= import("./view-files.js"));

/** Loads the module that renders templates. */
const rendering = (): Promise<typeof import("./templates/render.js")> =>
  (templates ??= import("./templates/render.js"));
