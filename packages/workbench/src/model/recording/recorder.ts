/**
 * Records an app.
 *
 * @module
 */
import { INSTANCE_KEY, type ResourceMeta, readUiDocument, recordOf } from "@vitrine/protocol";
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
 * Whether a line is recorded. Console output is excluded, because it may contain anything and redaction paths
 * do not reach it. Log messages are already recorded as messages.
 */
const isKept = ({ from }: LoggedLine): boolean => from === "script" || from === "host";

/** The events of an app's log for a recording, in order. */
export function eventsOf({ messages, steps, lines, violations, acts }: AppLog): RecordedEvent[] {
  return [
    ...steps.map(({ at, step, detail }) => ({ t: at, step, ...(detail !== undefined && { detail }) })),
    ...messages.map(({ at, direction, message, person }) => ({
      t: at,
      d: direction,
      m: recordOf(message),
      ...(person && { person }),
    })),
    ...lines.filter(isKept).map(({ at, level, from, text }) => ({ t: at, line: { level, from, text } })),
    ...violations.map(({ at, directive, blocked }) => ({ t: at, violation: { directive, blocked } })),
    ...acts.map(({ at, act }) => ({ t: at, did: act })),
  ].sort((a, b) => a.t - b.t);
}

/**
 * Records an app's log so far. Without a given document, it is read from the server again.
 *
 * @throws if the document cannot be read
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
      ...(source.place?.dialects && { dialects: source.place.dialects }),
      dropped: log.dropped,
      ...(isRestored(app) && { restored: true }),
    },
    events: eventsOf(log),
    skipped: 0,
  };
}

/** Whether it was open before and may have stored state: before a page reload, or a retry. */
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
