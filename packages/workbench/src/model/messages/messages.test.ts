import { VitrineError } from "@vitrine/protocol";
import { expect, it } from "vitest";
import { messageOf } from "./messages.js";

it("the message of an error of the gateway has the trace id, and no other message has", () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const data = { code: "audit-failed", trace };
  expect(messageOf(new VitrineError(-32000, "the disk is full", { data }))).toBe(
    `the disk is full (trace ${trace})`,
  );
  expect(messageOf(new VitrineError("timeout", "too slow"))).toBe("too slow");
  expect(messageOf(new Error("no"))).toBe("no");
  expect(messageOf("no")).toBe("no");
});
