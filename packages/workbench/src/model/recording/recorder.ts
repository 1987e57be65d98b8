/**
 * From an app to a recording of it.
 *
 * @module
 */
import { INSTANCE_KEY, type ResourceMeta, readUiDocument } from "@vitrine/protocol";
import type { AppLog, LoggedLine } from "../app/app-log.js";
import { type AppModel, INFO } from "../app/app-model.js";
import { plainOf } from "../messages/message-json.js";
import { messageOf } from "../messages/messages.js";
import { RECORDING_FORMAT, RECORDING_VERSION, type RecordedEvent, type Recording } from "./recording.js";

/** The document of an app. */
export interface AppDocument {
  readonly html: string;
  readonly meta: ResourceMeta;
}

/**
 * What of an app's lines is kept. Not what it wrote to its console, where anything may stand and no place of a message says
 * what to take out; nor what it logged to its host, which is there as its message.
 */
const isKept = ({ from }: LoggedLine): boolean => from === "script" || from === "host";

/** What an app's log holds for a recording, in order. */
export function eventsOf({ messages, steps, lines, violations, acts }: AppLog): RecordedEvent[] {
  return [
    ...steps.map(({ at, step, detail }) => ({ t: at, step, ...(detail !== undefined && { detail }) })),
    ...messages.map(({ at, direction, message, person }) => ({
      t: at,
      d: direction,
      m: Object(message) as Record<string, unknown>,
      ...(person && { person }),
    })),
    ...lines.filter(isKept).map(({ at, level, from, text }) => ({ t: at, line: { level, from, text } })),
    ...violations.map(({ at, directive, blocked }) => ({ t: at, violation: { directive, blocked } })),
    ...acts.map(({ at, act }) => ({ t: at, did: act })),
  ].sort((a, b) => a.t - b.t);
}

/**
 * Records an app as far as it has come. A document that nobody has kept is read from its server once more.
 *
 * @throws when the document cannot be read
 */
export async function recordApp(app: AppModel, kept?: AppDocument): Promise<Recording> {
  const { source, profile, look, log, bridge } = app;
  const document = kept ?? source.document ?? (await readDocument(app));
  const { [INSTANCE_KEY]: _instance, ...context } = bridge?.context ?? {};
  return {
    header: {
      format: RECORDING_FORMAT,
      version: RECORDING_VERSION,
      at: new Date().toISOString(),
      server: source.server,
      uri: source.uri,
      title: source.title,
      ...(source.tool && { tool: source.tool }),
      document,
      host: INFO,
      context,
      profile: profile.id,
      look,
      relax: source.place?.relax ?? [],
      dropped: log.dropped,
      ...(isRestored(app) && { restored: true }),
    },
    events: eventsOf(log),
    skipped: 0,
  };
}

/** Whether it had been open before, and may have kept something: over a reload of the page, or tried again in it. */
export const isRestored = ({ source, log }: AppModel): boolean =>
  source.isRestored === true || log.steps.filter(({ step }) => step === "loading").length > 1;

async function readDocument({ source: { frame, uri } }: AppModel): Promise<AppDocument> {
  const failed = (why: string): Error =>
    new Error(`The app's document cannot be read: ${why}. Start its server, and save again.`);
  const result = await frame.upstream?.request("resources/read", { uri }).catch((error: unknown) => {
    throw failed(messageOf(error));
  });
  const document = readUiDocument(plainOf(result), uri);
  if (!document.ok) throw failed(document.message);
  return { html: document.html, meta: document.meta };
}
