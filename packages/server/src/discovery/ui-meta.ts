/**
 * `ui.meta.json`: a folder's view, except for its document. The same schema validates it here and completes
 * it in editors.
 *
 * @module
 */

import type { JsonSchema } from "@vitrine/protocol";
import { buildCsp, type ResourceCsp, type ResourcePermissions } from "@vitrine/protocol";
import type { AnyTemplate } from "../templates/template.js";
import type { JsonFile } from "./read-json.js";

/** Contents of the file. */
export interface UiMeta {
  readonly $schema?: string | undefined;
  /** The name shown to users. The address has the folder's name. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** The template to show if there is no document. */
  readonly template?: string | undefined;
  /** The template's configuration. */
  readonly config?: object | undefined;
  /** The document; `index.html` by default. */
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
        connectDomains: origins("Origins it may connect to.", "(https|wss)", "(http|ws)"),
        resourceDomains: origins("Origins of scripts, styles, images and fonts.", "https", "http"),
        frameDomains: origins("Origins it may show in frames.", "https", "http"),
        baseUriDomains: origins("Origins of its base address.", "https", "http"),
      },
      "External origins that the view may use, such as https://api.example.com. None by default.",
    ),
    permissions: closed(
      {
        camera: permission("Requests the camera: {}"),
        microphone: permission("Requests the microphone: {}"),
        geolocation: permission("Requests the location: {}"),
        clipboardWrite: permission("Requests to write to the clipboard: {}"),
      },
      "Browser features that the view requests.",
    ),
    prefersBorder: {
      type: "boolean",
      default: true,
      description: "Whether the host should draw a border around the view.",
    },
    domain: {
      type: "string",
      minLength: 1,
      description: "A dedicated, stable origin, in the host's format.",
    },
  },
  "Metadata for hosts.",
);

const text = (description: string): JsonSchema => ({ type: "string", minLength: 1, description });

/** Without template configurations, which their own schemas check. */
const base = closed({
  $schema: { type: "string", description: "Where editors find this schema." },
  name: text("The name shown to users. The address has the folder's name."),
  description: text("What the view shows, for users and models."),
  template: text("The template to show if the folder has no document."),
  config: { type: "object", description: "The template's configuration." },
  entrypoint: { ...text("The document, in this folder."), default: "index.html" },
  meta,
});

/** Templates by name. */
export type Templates = Readonly<Record<string, AnyTemplate>>;

/**
 * Returns the JSON Schema of `ui.meta.json` for editors, with the configurations of all templates.
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
    description: "The view in this folder.",
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
 * Validates a file and returns its contents.
 *
 * @throws {FileError} `meta-invalid`, `template-unknown`, `config-invalid`
 */
export function readUiMeta(file: JsonFile, templates: Templates): UiMeta {
  file.check(base, "meta-invalid");
  const found = file.value as UiMeta;
  const { template: name, config } = found;
  if (name === undefined) {
    if (config !== undefined) throw file.error("meta-invalid", "it.config needs a template: name one");
  } else {
    const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
    if (!template) {
      const names = Object.keys(templates).sort().join(", ");
      throw file.error("template-unknown", `it.template must be one of ${names}, not ${name}`);
    }
    file.check(template.schema, "config-invalid", config ?? {}, "it.config");
  }
  // Sources that a host would reject are reported to the author now.
  const [rejected] = buildCsp(found.meta?.csp).rejected;
  if (rejected) throw file.error("meta-invalid", `it.meta.${rejected.field} ${rejected.reason}`);
  return found;
}
