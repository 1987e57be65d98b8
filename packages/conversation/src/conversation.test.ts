import type { CallToolResult } from "@vitrine/protocol";
import { afterEach, describe, expect, it } from "vitest";
import {
  type ConversationStage,
  conversationStage,
  Follower,
  gate,
  hearing,
  text,
  words,
} from "../../../testing/gateway/conversation-stage.js";
import { callTool, pause, say, together, usage, waitFor } from "../../../testing/model/scripted-model.js";
import type { Model } from "./model/model.js";

const stages: ConversationStage[] = [];
const stageOf: typeof conversationStage = async (...args) => {
  const stage = await conversationStage(...args);
  stages.push(stage);
  return stage;
};
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

const forecast = { work: ({ city }: Record<string, unknown>) => text(`sunny in ${city}`), hasApp: true };
const done = (follower: Follower): Promise<void> =>
  expect.poll(() => follower.isRunning, { interval: 5 }).toBe(false);

describe("a turn", () => {
  it("streams text into one entry, and reports it in order", async () => {
    const stage = await stageOf([[say("It ", "is ", "sunny."), usage(12, 3)]]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    const id = await conversation.send(words("How is the weather?"));
    await done(page);
    expect(page.items).toMatchObject([
      { kind: "user", id, content: words("How is the weather?") },
      {
        kind: "model",
        answers: id,
        text: "It is sunny.",
        state: "done",
        model: "scripted (test)",
        usage: { input: 12, output: 3 },
      },
    ]);
    expect(page.isInOrder).toBe(true);
    expect(page.state).toEqual({ ...conversation.state(), changedAt: page.state.changedAt });
    expect(page.state).toMatchObject({ title: "How is the weather?", usage: { input: 12, output: 3 } });
    // Each token arrived separately, and was reported at once.
    const pieces = page.notices.flat().filter(({ kind }) => kind === "text" || kind === "item");
    expect(pieces.length).toBeGreaterThanOrEqual(4);
    expect(stage.model.requests[0]?.body.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  });

  it("makes several calls concurrently, each an entry in order, and sends their results to the model", async () => {
    const both = gate();
    let open = 0;
    const meet = async (): Promise<void> => {
      if (++open === 2) both.open();
      await both.opened;
    };
    const stage = await stageOf(
      [
        [
          say("Let me look."),
          together(
            callTool("weather__forecast", { city: "Rome" }, { index: 0, fragment: 4 }),
            callTool("weather__tides", { port: "Ostia" }, { index: 1, fragment: 4 }),
          ),
          usage(10, 5),
        ],
        callTool("weather__forecast", { city: "Oslo" }, { id: "third" }),
        [say("All sunny."), usage(30, 2)],
      ],
      {
        tools: {
          forecast: {
            ...forecast,
            work: async (input, { onprogress }) => {
              onprogress({ progress: 1, total: 2 });
              if (input["city"] === "Rome") await meet();
              return forecast.work(input);
            },
          },
          tides: { work: async () => meet().then(() => ({ ...text("low"), isError: true })) },
        },
      },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("Rome and Ostia, then Oslo"));
    await done(page);
    expect(page.items.map(({ kind }) => kind)).toEqual([
      ...["user", "model", "call", "call", "model", "call", "model"],
    ]);
    const [first, , third] = page.models;
    expect(page.calls).toMatchObject([
      {
        server: "weather",
        tool: "forecast",
        input: { city: "Rome" },
        state: "done",
        hasApp: true,
        by: "model",
        turn: first?.id,
        result: text("sunny in Rome"),
      },
      { server: "weather", tool: "tides", input: { port: "Ostia" }, state: "failed", hasApp: false },
      { tool: "forecast", input: { city: "Oslo" }, state: "done" },
    ]);
    expect(page.calls[0]).not.toHaveProperty("inputText", expect.anything());
    expect(third?.text).toBe("All sunny.");
    expect(page.state).toEqual({ ...conversation.state(), changedAt: page.state.changedAt });
    expect(page.state.usage).toEqual({ input: 40, output: 7 });
    const [, second, last] = stage.model.requests;
    expect(second?.body.messages.slice(1)).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [{ id: "call-0" }, { id: "call-1", function: { name: "weather__tides" } }],
      },
      { role: "tool", tool_call_id: "call-0", content: "sunny in Rome" },
      { role: "tool", tool_call_id: "call-1", content: "low" },
    ]);
    expect(last?.body.messages.at(-1)).toMatchObject({ tool_call_id: "third", content: "sunny in Oslo" });
    expect(new Set(stage.called.map(({ key }) => key)).size).toBe(3);
  });

  it("L05: a view gets partial input while it is written, one input, progress, and one result", async () => {
    const go = gate();
    const end = gate();
    const stage = await stageOf(
      [
        [
          { do: "call", index: 0, id: "a", name: "weather__forecast" },
          { do: "arguments", index: 0, text: '{"city":"Ro' },
          waitFor(go.opened),
          { do: "arguments", index: 0, text: 'me"}' },
        ],
        say("done"),
      ],
      {
        tools: {
          forecast: {
            hasApp: true,
            work: async (_input, { onprogress }) => {
              onprogress({ progress: 1 });
              await end.opened;
              return text("sunny");
            },
          },
        },
      },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("Rome"));
    await expect.poll(() => page.calls[0]?.inputText, { interval: 2 }).toBe('{"city":"Ro');
    expect(page.calls[0]).toMatchObject({ state: "writing", hasApp: true });
    const item = page.calls[0]?.id ?? "";
    const early = hearing();
    conversation.shown(item, early);
    expect(early.heard).toEqual([["partial", { city: "Ro" }]]);
    go.open();
    await expect.poll(() => page.calls[0]?.state, { interval: 2 }).toBe("running");
    await expect.poll(() => page.calls[0]?.progress, { interval: 2 }).toEqual({ progress: 1 });
    const midway = hearing();
    const leave = conversation.shown(item, midway);
    const left = hearing();
    conversation.shown(item, left)();
    end.open();
    await done(page);
    const late = hearing();
    conversation.shown(item, late);
    const input = ["input", { city: "Rome" }];
    const result = ["result", text("sunny")];
    const progress = ["progress", { progress: 1 }];
    expect(early.heard.filter(([kind]) => kind !== "partial")).toEqual([input, progress, result]);
    expect(midway.heard).toEqual([progress, input, result]);
    expect(left.heard).toEqual([progress, input]);
    expect(late.heard).toEqual([input, result]);
    leave();
    expect(() => conversation.shown("nothing", late)).toThrow(
      expect.objectContaining({ data: { code: "item-unknown" } }),
    );
  });

  it("is queued: a second message is shown at once, and answered after the first", async () => {
    const go = gate();
    const stage = await stageOf(
      [
        [say("first"), waitFor(go.opened), ...callTool("weather__forecast", { city: "Rome" })],
        say("one"),
        say("two"),
      ],
      { tools: { forecast } },
    );
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    const first = await conversation.send(words("a"));
    await expect.poll(() => page.models[0]?.text).toBe("first");
    const second = await conversation.send(words("b"));
    expect(page.items.at(-1)).toMatchObject({ kind: "user", id: second });
    go.open();
    await done(page);
    expect(page.models.map(({ answers, text: said }) => [answers, said])).toEqual([
      [first, "first"],
      [first, "one"],
      [second, "two"],
    ]);
    const contents = (at: number): unknown[] =>
      stage.model.requests[at]?.body.messages
        .filter(({ role }) => role !== "system")
        .map((each) => each.content) ?? [];
    expect(contents(1)).toEqual(["a", "first", "sunny in Rome"]);
    expect(contents(2)).toEqual(["a", "first", "sunny in Rome", "one", "b"]);
  });

  it("without a model: messages stay, tools are called by hand, and one note says how to get a model", async () => {
    const stage = await stageOf([say("Now I can.")], { tools: { forecast } });
    stage.hasModel = false;
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("hello"));
    await conversation.send(words("anybody?"));
    const item = await conversation.call("weather", "forecast", { city: "Rome" }, { page: { open: true } });
    await done(page);
    expect(page.notes).toMatchObject([{ level: "info", code: "no-model" }]);
    expect(page.notes[0]?.text).toContain("Add one to the settings.");
    expect(page.calls).toMatchObject([
      { id: item, by: "person", state: "done", hasApp: true, page: { open: true }, input: { city: "Rome" } },
    ]);
    // A later model sees the call, but not as its own.
    stage.hasModel = true;
    await conversation.send(words("and now?"));
    await done(page);
    const { messages = [] } = stage.model.requests[0]?.body ?? {};
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "user", "user", "user"]);
    expect(JSON.stringify(messages)).toContain("The user called the tool");
  });
});

describe("stop", () => {
  it("in mid-stream: the text stays, the provider's stream ends at once, and the next turn works", async () => {
    const stage = await stageOf([[say("I will tell"), pause(60_000), say(" you")], say("Again.")]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    expect(conversation.stop()).toBe(false);
    await conversation.send(words("Tell me"));
    await expect.poll(() => page.models[0]?.text).toBe("I will tell");
    const waiting = conversation.send(words("and more"));
    expect(conversation.stop()).toBe(true);
    await waiting;
    await done(page);
    expect(page.models).toMatchObject([{ text: "I will tell", state: "stopped" }]);
    expect(await stage.model.requests[0]?.left).toBe(true);
    await conversation.send(words("Go on"));
    await done(page);
    expect(page.models.at(-1)).toMatchObject({ text: "Again.", state: "done" });
    // Queued messages were not answered, but stay in the conversation.
    const said = stage.model.requests[1]?.body.messages.map(({ content }) => content);
    expect(said?.slice(1)).toEqual(["Tell me", "I will tell", "and more", "Go on"]);
    expect(stage.errors).toEqual([]);
  });

  it("during a call: the server is notified, the view learns that it was cancelled, and a late answer is ignored", async () => {
    const signals: AbortSignal[] = [];
    const late = gate();
    const stage = await stageOf([callTool("weather__slow", {}), say("I see.")], {
      tools: {
        slow: {
          hasApp: true,
          work: async (_input, { signal }) => {
            signals.push(signal);
            await late.opened;
            return text("too late");
          },
        },
      },
    });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("go"));
    await expect.poll(() => signals.length).toBe(1);
    const view = hearing();
    conversation.shown(page.calls[0]?.id ?? "", view);
    expect(conversation.stop()).toBe(true);
    expect(signals[0]?.aborted).toBe(true);
    late.open();
    await done(page);
    expect(page.calls).toMatchObject([{ state: "cancelled", problem: "stopped by the user" }]);
    expect(page.calls[0]).not.toHaveProperty("result");
    expect(view.heard).toEqual([
      ["input", {}],
      ["cancelled", "stopped by the user"],
    ]);
    expect(stage.model.requests).toHaveLength(1);
    await conversation.send(words("what happened?"));
    await done(page);
    expect(stage.model.requests[1]?.body.messages.find(({ role }) => role === "tool")?.content).toBe(
      "The call was cancelled: stopped by the user. It may have been executed anyway.",
    );
  });

  it("of the gateway: everything ends, the model is asked nothing more, and a note says why", async () => {
    const [work, tokens] = [gate(), gate()];
    const stage = await stageOf(
      [callTool("weather__slow", {}), [say("I am going to"), waitFor(tokens.opened), say("say more")]],
      { tools: { slow: { work: async () => work.opened.then(() => text("done")) } } },
    );
    const [calling, talking] = [await stage.conversations.open("ana"), await stage.conversations.open("ana")];
    const [page, other] = [new Follower(calling), new Follower(talking)];
    await calling.send(words("go"));
    await calling.send(words("and this"));
    await expect.poll(() => page.calls[0]?.state).toBe("running");
    await talking.send(words("tell me"));
    await expect.poll(() => other.models[0]?.text).toBe("I am going to");
    stage.conversations.windDown();
    await done(other);
    expect(other.models).toMatchObject([{ state: "stopped", text: "I am going to" }]);
    await expect(calling.send(words("more"))).rejects.toMatchObject({ data: { code: "stopping" } });
    expect(page.isRunning).toBe(true);
    work.open();
    await done(page);
    expect(page.calls).toMatchObject([{ state: "done" }]);
    expect(stage.model.requests).toHaveLength(2);
    for (const each of [page, other]) {
      expect(each.notes).toMatchObject([
        { code: "stopping", text: expect.stringMatching(/stopped before the model had finished/) },
      ]);
    }
    tokens.open();
  });

  it("of the gateway while the model is writing: calls that were made end, and incomplete calls are not made", async () => {
    const work = gate();
    let asked = 0;
    // A model that reports complete calls, which not all do.
    const model: Model = {
      id: "local/eager",
      label: "Eager",
      async *stream(_request, signal) {
        asked++;
        for (const id of ["one", "two"]) {
          yield { kind: "call", id, name: "weather__slow" };
          yield { kind: "arguments", id, text: "{" };
          if (id === "two") break;
          yield { kind: "arguments", id, text: "}" };
          yield { kind: "called", id };
        }
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      },
    };
    const stage = await stageOf([], {
      tools: { slow: { work: async () => work.opened.then(() => text("done")) } },
      models: { current: () => model, help: "" },
    });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("go"));
    await expect.poll(() => page.calls.map(({ state }) => state)).toEqual(["running", "writing"]);
    stage.conversations.windDown();
    await expect.poll(() => page.calls.map(({ state }) => state)).toEqual(["running", "cancelled"]);
    work.open();
    await done(page);
    expect(page.calls.map(({ state }) => state)).toEqual(["done", "cancelled"]);
    expect(page.models).toMatchObject([{ state: "stopped" }]);
    // A conversation that is opened now asks nothing either.
    const late = await stage.conversations.open("ana");
    await expect(late.send(words("hello"))).rejects.toMatchObject({ data: { code: "stopping" } });
    expect(asked).toBe(1);
  });

  it("of the model itself: queued messages are not answered, and a note says so", async () => {
    const first = gate();
    const stage = await stageOf([[say("One."), waitFor(first.opened)]]);
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("one"));
    await conversation.send(words("two"));
    stage.hasModel = false;
    first.open();
    await done(page);
    expect(page.models).toHaveLength(1);
    expect(page.notes).toMatchObject([{ level: "warning", code: "model-gone" }]);
  });

  it("of one call: the turn continues without it", async () => {
    const stage = await stageOf([callTool("weather__slow", {}), say("Then not.")], {
      tools: { slow: { work: () => new Promise<CallToolResult>(() => {}) } },
    });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("go"));
    await expect.poll(() => page.calls[0]?.state).toBe("running");
    expect(conversation.stop(page.calls[0]?.id)).toBe(true);
    await done(page);
    expect(page.models.at(-1)).toMatchObject({ text: "Then not.", state: "done" });
    expect(conversation.stop(page.calls[0]?.id)).toBe(false);
  });

  it("while arguments are written: the call is cancelled, and never made", async () => {
    const stage = await stageOf([[...callTool("weather__forecast", '{"city":"Ro'), pause(60_000)]], {
      tools: { forecast },
    });
    const conversation = await stage.conversations.open("ana");
    const page = new Follower(conversation);
    await conversation.send(words("go"));
    await expect.poll(() => page.calls[0]?.inputText).toBe('{"city":"Ro');
    conversation.stop();
    await done(page);
    expect(page.calls).toMatchObject([{ state: "cancelled" }]);
    expect(page.calls[0]?.input).toBeUndefined();
    expect(stage.called).toEqual([]);
  });
});
