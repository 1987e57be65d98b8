/**
 * Converts between the page's data and the host test interface.
 *
 * @module
 */
import { VitrineError } from "@vitrine/protocol";
import { isFields } from "../app/foreign.js";
import type { Item } from "../conversation/conversation-mirror.js";
import type { Look } from "../diagnosis/look.js";
import { checkPart } from "../diagnosis/look-checks.js";
import type { ChangedHostContext, ConversationMessage } from "./host-test-api.js";

/** An entry of the conversation in the interface's form. */
export function messageFor(item: Item): ConversationMessage {
  const { id } = item;
  switch (item.kind) {
    case "user":
      return { id, role: "user", content: item.content, state: "done", from: item.from };
    case "model":
      return {
        id,
        role: "assistant",
        state: item.state,
        problem: item.problem?.message,
        content: item.text ? [{ type: "text", text: item.text }] : [],
      };
    case "note":
      return { id, role: "host", content: [{ type: "text", text: item.text }], state: "done" };
    case "call": {
      const { server, tool: name, input, by, appOf: app, state, problem, result } = item;
      return {
        id,
        role: "tool",
        content: result?.content ?? [],
        state,
        problem,
        call: { server, name, arguments: input, by, app },
      };
    }
  }
}

const SAME = ["theme", "displayMode", "locale", "timeZone", "platform", "safeAreaInsets"] as const;
const WITHIN = {
  deviceCapabilities: ["touch", "hover"],
  containerDimensions: ["width", "height", "maxHeight"],
} as const;

/**
 * The changes of the apps' look.
 *
 * @throws {VitrineError} `invalid` for a key that this host cannot change, and for an invalid value
 */
export function lookOf(context: ChangedHostContext): Look {
  const look: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(context)) {
    const same = SAME.find((each) => each === key);
    if (same) {
      checkPart(same, value);
      look[same] = value;
    } else if (key === "deviceCapabilities" || key === "containerDimensions") {
      if (value !== undefined && !isFields(value))
        throw new VitrineError("invalid", `${key} must be an object, and is ${JSON.stringify(value)}`);
      for (const [part, inner] of Object.entries(value ?? {})) {
        const known = [...WITHIN[key]].find((each) => each === part);
        if (!known) throw unchangeable(`${key}.${part}`);
        checkPart(known, inner, `${key}.${part}`);
        look[known] = inner;
      }
    } else throw unchangeable(key);
  }
  return look;
}

const unchangeable = (key: string): VitrineError => {
  const inner = Object.entries(WITHIN).flatMap(([name, parts]) => parts.map((part) => `${name}.${part}`));
  return new VitrineError(
    "invalid",
    `this host cannot change ${key}, but: ${[...SAME, ...inner].join(", ")}`,
  );
};
