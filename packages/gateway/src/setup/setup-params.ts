/**
 * Schemas of the params of requests about the settings file.
 *
 * @module
 */
import type { Shape } from "@vitrine/protocol";
import type { DraftIsolation, DraftValue, ServerDraft, SetupRequests } from "@vitrine/wire";

const STRING: Shape<string> = { kind: "string" };
const BOOLEAN: Shape<boolean> = { kind: "boolean" };
const STRINGS: Shape<string[]> = { kind: "array", items: STRING };
const shape = <T>(fields: Record<string, Shape>, optional: Record<string, Shape> = {}): Shape<T> => ({
  kind: "object",
  fields,
  optional,
});

/** Exactly one member counts: see `entryOf`. */
const VALUE: Shape<DraftValue> = shape({}, { keep: BOOLEAN, text: STRING, secret: STRING });
const VALUES: Shape<Record<string, DraftValue>> = { kind: "record", values: VALUE };
const ISOLATION: Shape<DraftIsolation> = shape(
  {},
  {
    driver: { kind: "literal", values: ["auto", "process", "bubblewrap", "container"] },
    network: BOOLEAN,
    read: STRINGS,
    write: STRINGS,
    image: STRING,
  },
);
const DRAFT: Shape<ServerDraft> = shape(
  {},
  {
    command: STRING,
    args: STRINGS,
    cwd: STRING,
    env: VALUES,
    isolation: ISOLATION,
    url: STRING,
    type: { kind: "literal", values: ["http", "sse"] },
    headers: VALUES,
    privateNetwork: BOOLEAN,
  },
);

export const SETUP_PARAMS: { readonly [M in keyof SetupRequests]: Shape<SetupRequests[M]["params"]> } = {
  "gateway/settings": shape({}),
  "gateway/add-server": shape({ name: STRING, draft: DRAFT }),
  "gateway/change-server": shape({ name: STRING, version: STRING }, { draft: DRAFT, disabled: BOOLEAN }),
  "gateway/remove-server": shape({ name: STRING, version: STRING }),
  "gateway/read-servers": shape({ text: STRING }),
  "gateway/import-candidates": shape({}),
  "gateway/add-found": shape({ names: STRINGS }, { text: STRING, file: STRING }),
  "gateway/dismiss-server": shape({ id: STRING }),
  "gateway/server-log": shape({ server: STRING }, { follow: BOOLEAN }),
};
