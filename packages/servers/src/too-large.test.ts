import { describe, expect, it } from "vitest";
import { answeredByHead, answeredByTail } from "./too-large.js";

describe("the request that a message answers", () => {
  it.each([
    ['{"jsonrpc":"2.0","id":"v3","result":{"content":[', "v3"],
    ['{"jsonrpc": "2.0", "id": 7, "error": {"code"', 7],
    ['{"id":"v3","jsonrpc":"2.0","result":{', "v3"],
    ['{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage"', null],
    ['{"method":"notifications/message","params":{"id":"v3","result":', null],
    ['{"result":{"id":"v3","result":', undefined],
    ['{"jsonrpc":"2.0","result":{', undefined],
    ["no message at all", undefined],
  ])("is found in its head: %s", (head, id) => expect(answeredByHead(head)).toBe(id));

  it.each([
    ['xxx"}]},"jsonrpc":"2.0","id":"v3"}', "v3"],
    ['xxx"}]}, "id": 7, "jsonrpc": "2.0" }\r', 7],
    ['xxx\\",\\"id\\":\\"v3"}', undefined],
    ['xxx","id":"v3"}}', undefined],
    ["no message at all", undefined],
  ])("is found in its tail: %s", (tail, id) => expect(answeredByTail(tail)).toBe(id));
});
