/**
 * `ui.meta.json`: what a folder's view is, besides its document. The same schema checks it here and completes it in editors.
 *
 * @module
 */
import { buildCsp, type ResourceCsp, type ResourcePermissions } from "@vitrine/protocol";
import type { JsonSchema } from "../templates/check-config.js";
import type { AnyTemplate } from "../templates/template.js";
import type { JsonFile } from "./read-json.js";

/** What the file may say. */
export interface UiMeta {
  readonly $schema?: string | undefined;
  /** What people call it; its address has the name of the folder. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** The page to show, where there is no document. */
  readonly template?: string | undefined;
  /** That template's configuration. */
  readonly config?: object | undefined;
  /** The document, `index.html` by default. */
  readonly entrypoint?: string | undefined;
  readonly meta?:
    | {
        readonly csp?: ResourceCsp | undefined;
        readonly permissions?: ResourcePermissions | undefined;
        readonly prefersBorder?: boolean | undefined;
        readonly domain?: string | undefined;
      }
    | undefined;
}

const LOOPBACK = "(localhost|127\\.0\\.0\\.1)(:\\d+)?$";
const origins = (description: string, schemes: string, local: string): JsonSchema => ({
  type: "array",
  description,
  items: { type: "string", pattern: `^(${schemes}://|${local}://${LOOPBACK})` },
});

const permission = (description: string): JsonSchema => ({ type: "object", description });

const closed = (properties: Record<string, JsonSchema>, description?: string): JsonSchema => ({
  type: "object",
  ...(description !== undefined && { description }),
  properties,
  additionalProperties: false,
});

const meta = closed(
  {
    csp: closed(
      {
        connectDomains: origins("Where it may connect to.", "(https|wss)", "(http|ws)"),
        resourceDomains: origins("Where scripts, styles, pictures and fonts may come from.", "https", "http"),
        frameDomains: origins("What it may show in frames.", "https", "http"),
        baseUriDomains: origins("What its base address may be.", "https", "http"),
      },
      "What it may reach beyond itself: nothing by default. Origins, such as https://api.example.com.",
    ),
    permissions: closed(
      {
        camera: permission("Asks for the camera: {}"),
        microphone: permission("Asks for the microphone: {}"),
        geolocation: permission("Asks for the place: {}"),
        clipboardWrite: permission("Asks to write to the clipboard: {}"),
      },
      "What it asks the browser for.",
    ),
    prefersBorder: {
      type: "boolean",
      default: true,
      description: "Whether it wants a border around it.",
    },
    domain: {
      type: "string",
      minLength: 1,
      description: "A stable origin of its own, in the form that the host wants.",
    },
  },
  "What hosts are told of it.",
);

const text = (description: string): JsonSchema => ({ type: "string", minLength: 1, description });

/** Without the configurations, which are of their templates. */
const base = closed({
  $schema: { type: "string", description: "Where editors find this schema." },
  name: text("What people call it. Its address has the name of the folder."),
  description: text("What it shows, for people and models."),
  template: text("The page to show, where the folder has no document."),
  config: { type: "object", description: "The configuration of the template." },
  entrypoint: { ...text("The document, in this folder."), default: "index.html" },
  meta,
});

/** Templates by their names. */
export type Templates = Readonly<Record<string, AnyTemplate>>;

/**
 * The JSON Schema of `ui.meta.json`, for editors: with the configurations of all templates.
 *
 * @example
 * ```ts source="../server.examples.ts#uiMetaSchema"
 * const editorSchema = JSON.stringify(uiMetaSchema(TEMPLATES));
 *
 * ```
 */
export function uiMetaSchema(templates: Templates): object {
  const names = Object.keys(templates).sort();
  const { properties = {} } = base;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "ui.meta.json",
    description: "What the view in this folder is.",
    ...base,
    properties: { ...properties, template: { ...properties["template"], enum: names } },
    dependentRequired: { config: ["template"] },
    allOf: names.map((name) => ({
      if: { properties: { template: { const: name } }, required: ["template"] },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: { properties: { config: templates[name]?.schema } },
    })),
  };
}

/**
 * What a file says, if all of it is right.
 *
 * @throws {FileError} `meta-invalid`, `template-unknown`, `config-invalid`
 */
export function readUiMeta(file: JsonFile, templates: Templates): UiMeta {
  file.check(base, "meta-invalid");
  const found = file.value as UiMeta;
  const { template: name, config } = found;
  if (name === undefined) {
    if (config !== undefined) throw file.error("meta-invalid", "it.config is for a template: name one");
  } else {
    const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
    if (!template) {
      const names = Object.keys(templates).sort().join(", ");
      throw file.error("template-unknown", `it.template must be one of ${names}, and not ${name}`);
    }
    file.check(template.schema, "config-invalid", config ?? {}, "it.config");
  }
  // What a host would leave out of the policy is told to the author in place of the user.
  const [rejected] = buildCsp(found.meta?.csp).rejected;
  if (rejected) throw file.error("meta-invalid", `it.meta.${rejected.field} ${rejected.reason}`);
  return found;
}
