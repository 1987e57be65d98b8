/**
 * MCP results for a view: lists of resources and prompts, their contents, and model output. They have their
 * own module because a host never checks its own answers (decision 005).
 *
 * @module
 */
import {
  annotations,
  contentBlock,
  icons,
  listed,
  meta,
  resourceContents,
  resourceFields,
  role,
  samplingBlock,
} from "./mcp.js";
import { array, boolean, type Infer, object, open, string, union } from "./schema.js";

/** A resource as `resources/list` describes it. */
export interface Resource extends Infer<typeof resource> {}
const resource = object({ uri: string, name: string }, resourceFields);

/** A set of resources, described by a URI template. */
export interface ResourceTemplate extends Infer<typeof resourceTemplate> {}
const resourceTemplate = object(
  { uriTemplate: string, name: string },
  { title: string, description: string, mimeType: string, icons, annotations, _meta: meta },
);

/** A prompt that the server offers. */
export interface Prompt extends Infer<typeof prompt> {}
const prompt = object(
  { name: string },
  {
    title: string,
    description: string,
    arguments: array(object({ name: string }, { title: string, description: string, required: boolean })),
    icons,
    _meta: meta,
  },
);

const promptMessage = object({ role, content: contentBlock });

export const listResourcesResult = open({ resources: array(resource) }, listed);
export const listResourceTemplatesResult = open({ resourceTemplates: array(resourceTemplate) }, listed);
export const listPromptsResult = open({ prompts: array(prompt) }, listed);
export const readResourceResult = open({ contents: array(resourceContents) }, { _meta: meta });
export const getPromptResult = open({ messages: array(promptMessage) }, { description: string, _meta: meta });
export const createMessageResult = open(
  { role, model: string, content: union(samplingBlock, array(samplingBlock)) },
  { stopReason: string, _meta: meta },
);
