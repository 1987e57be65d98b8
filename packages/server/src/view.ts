/**
 * A view: the document that shows what tools gave, and what it may do in the browser.
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

/** Where the document comes from: one of these. */
export type DocumentSource =
  /** The document itself, or what makes it. */
  | { readonly html: string | (() => string | Promise<string>) }
  /** A file with the whole document. A relative path is from where the process was started; better is a URL. */
  | { readonly file: string | URL }
  /** A folder that a bundler wrote; what its page needs of it is put into the document. */
  | { readonly folder: string | URL; readonly entry?: string | undefined }
  /** A page that is there already, and what it is to show. */
  | { readonly template: AnyTemplate; readonly config?: object | undefined };

/** What a view is besides its document. */
export interface ViewDetails {
  /** Part of its address, and unique in its server. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** What it may connect to and load from; nothing but itself by default. */
  readonly csp?: ResourceCsp | undefined;
  /** What it asks the browser for. */
  readonly permissions?: ResourcePermissions | undefined;
  /** A stable origin of its own, in the form that the host wants. */
  readonly domain?: string | undefined;
  readonly prefersBorder?: boolean | undefined;
  /** An address that stays, whatever the document: `ui://weather/forecast`. By default it has the document's hash in it. */
  readonly uri?: string | undefined;
}

/** What {@link view} takes. The configuration of a template is of that template. */
export type ViewOptions<Config extends object = object> = ViewDetails &
  (
    | Exclude<DocumentSource, { template: unknown }>
    | ({ readonly template: Template<Config> } & (object extends Config
        ? { readonly config?: NoInfer<Config> | undefined }
        : { readonly config: NoInfer<Config> }))
  );

/** A view that servers can offer. */
export interface View extends ViewDetails {
  readonly source: DocumentSource;
}

/**
 * Defines a view.
 *
 * @example
 * ```ts source="./server.examples.ts#view"
 * const forecastView = view({
 *   name: "forecast",
 *   title: "Forecast",
 *   file: new URL("./forecast.html", import.meta.url),
 *   csp: { connectDomains: ["https://api.weather.example"] },
 * });
 * ```
 *
 * @throws {DefinitionError} `name-invalid`, `meta-invalid`
 */
export function view<Config extends object = object>(options: ViewOptions<Config>): View {
  const { name, title, description, csp, permissions, domain, prefersBorder, uri, ...source } = options;
  checkName(name, "view");
  if (uri !== undefined && !/^ui:\/\/[^\s/]/.test(uri))
    throw new DefinitionError(
      "meta-invalid",
      `the view ${name}: uri: ${JSON.stringify(uri)} is no ui:// address`,
    );
  const details = { name, title, description, csp, permissions, domain, prefersBorder, uri };
  const ui = uiOf(details);
  const [problem] = ui ? readResourceUi({ content: { _meta: { ui } } }).problems : [];
  if (problem) throw new DefinitionError("meta-invalid", `the view ${name}: ${sentence(problem)}`);
  // What a host would leave out of the policy is told to the author in place of the user.
  const [rejected] = csp ? buildCsp(csp).rejected : [];
  if (rejected)
    throw new DefinitionError("meta-invalid", `the view ${name}: ${rejected.field} ${rejected.reason}`);
  return { ...details, source: source as DocumentSource };
}

const sentence = ({ field, message }: Problem): string => `${field}: ${message}`;

/** `_meta.ui` of the view's resource: only what was said, and nothing where nothing was. */
export function uiOf({ csp, permissions, domain, prefersBorder }: ViewDetails): object | undefined {
  const ui = {
    ...(csp !== undefined && { csp }),
    ...(permissions !== undefined && { permissions }),
    ...(domain !== undefined && { domain }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  };
  return Object.keys(ui).length > 0 ? ui : undefined;
}

/** A document that was read. */
export interface Document {
  readonly text: string;
  /** Of it and of what the view may do: another document has another. */
  readonly hash: string;
}

/**
 * Reads a view's document.
 *
 * @param tool the one whose view it is, for a template that uses it
 * @throws {DefinitionError}
 */
export async function documentOf(view: View, limit: number, tool?: ShownTool): Promise<Document> {
  const text = await textFrom(view, limit, tool).catch((cause: unknown) => {
    throw cause instanceof DefinitionError ? cause : failed(view.name, cause);
  });
  return documentWith(view, text);
}

/**
 * The document of a view that has it in its definition; undefined where it must be waited for.
 *
 * @throws {DefinitionError}
 */
export function documentAtOnce(view: View, limit: number): Document | undefined {
  const { source } = view;
  // Where JavaScript names several sources, the others go before it.
  if ("file" in source || "folder" in source || "template" in source) return undefined;
  return typeof source.html === "string" ? documentWith(view, checked(view, source.html, limit)) : undefined;
}

function documentWith(view: View, text: string): Document {
  // As a file is for a moment while an editor writes it.
  if (text.trim() === "")
    throw new DefinitionError("view-missing", `the document of the view ${view.name} is empty: write it`);
  // What it may do is kept with the document: with another policy it is another one.
  const ui = uiOf(view);
  return { text, hash: fingerprintOf(ui ? JSON.stringify(ui) : "", text) };
}

async function textFrom(view: View, limit: number, tool?: ShownTool): Promise<string> {
  const { source } = view;
  if ("file" in source || "folder" in source) return (await viewFiles()).textOf(source, limit);
  const html =
    "template" in source
      ? (await rendering()).renderTemplate(source.template, (source.config ?? {}) as never, tool)
      : typeof source.html === "string"
        ? source.html
        : await source.html();
  if (typeof html !== "string") throw new TypeError(`html gave ${typeof html}, and not a text`);
  return checked(view, html, limit);
}

const checked = ({ name }: View, html: string, limit: number): string =>
  checkedText(html, `the document of the view ${name}`, limit);

/** Whatever an author's code threw concerns this view, and no other. */
function failed(name: string, cause: unknown): DefinitionError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new DefinitionError(
    "view-failed",
    `the document of the view ${name} could not be written: ${message}`,
    { cause },
  );
}

// Loaded with the first view that wants them: a server without such views starts sooner.
let files: Promise<typeof import("./view-files.js")> | undefined;
let templates: Promise<typeof import("./templates/render.js")> | undefined;

/** What reads files. */
export const viewFiles = (): Promise<typeof import("./view-files.js")> =>
  (files ??= import("./view-files.js"));

/** What writes the documents of templates. */
const rendering = (): Promise<typeof import("./templates/render.js")> =>
  (templates ??= import("./templates/render.js"));
