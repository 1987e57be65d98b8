/** The demo servers as a client meets them: by stdio, with the official SDK. */
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { isVisibleTo, readToolUi, UI_MIME_TYPE, uiExtension } from "@vitrine/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMOS } from "../../packages/cli/src/demos.ts";

type Input = Record<string, unknown>;

const clients = new Map<string, Client>();
const updates: string[] = [];

beforeAll(async () => {
  await Promise.all(
    DEMOS.map(async ({ name, file }) => {
      const client = new Client(
        { name: "test", version: "1.0.0" },
        { capabilities: { extensions: uiExtension() } },
      );
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        updates.push(params.uri);
      });
      // The programs are in the build output of the command.
      const program = fileURLToPath(file).replace("/src/", "/dist/");
      await client.connect(new StdioClientTransport({ command: process.execPath, args: [program] }));
      clients.set(name, client);
    }),
  );
});
afterAll(() => Promise.all([...clients.values()].map((client) => client.close())));

function clientOf(name: string): Client {
  const client = clients.get(name);
  if (!client) throw new Error(`no client of ${name}`);
  return client;
}

async function call(server: string, name: string, input: Input = {}) {
  const result = await clientOf(server).callTool({ name, arguments: input });
  const texts = result.content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`));
  return { ...result, text: texts.join("\n") };
}

/** The error of a call, of either kind. */
const refusal = async (server: string, name: string, input: Input): Promise<string> => {
  const { isError, text } = await call(server, name, input);
  expect(isError).toBe(true);
  return text;
};

describe.each(DEMOS)("$name", ({ name }) => {
  it("says what each tool is called, what it does, and whether it changes something", async () => {
    const { tools } = await clientOf(name).listTools();
    expect(tools.length).toBeGreaterThan(1);
    for (const tool of tools) {
      expect(tool.title, tool.name).toBeTruthy();
      expect(tool.description, tool.name).toBeTruthy();
      expect(tool.annotations?.readOnlyHint, tool.name).toBeTypeOf("boolean");
    }
  });

  it("links tools to documents that are whole, and of the right type", async () => {
    const client = clientOf(name);
    const { tools } = await client.listTools();
    const uris = tools.flatMap((tool) => readToolUi(tool).resourceUri ?? []);
    expect(uris.length).toBeGreaterThan(0);
    const { resources } = await client.listResources();
    for (const uri of uris) {
      expect(resources.find((each) => each.uri === uri)?.mimeType).toBe(UI_MIME_TYPE);
      const { contents } = await client.readResource({ uri });
      const [document] = contents;
      expect(document).toMatchObject({ uri, mimeType: UI_MIME_TYPE, _meta: { ui: { prefersBorder: true } } });
      const html = document && "text" in document ? document.text : "";
      // Each script ends where it was meant to: no more ends than beginnings.
      expect(html.match(/<\/script/g)?.length).toBe(html.match(/<script\b/g)?.length);
      expect(html).not.toMatch(/src="http|url\((?!#)|@import/);
    }
  });
});

describe("weather", () => {
  it("is the same for everybody, and differs by city", async () => {
    const [first, again, other] = await Promise.all(
      ["Lisbon", "lisbon", "Oslo"].map((city) => call("weather", "forecast", { city })),
    );
    expect(first?.structuredContent).toMatchObject({ city: "Lisbon", unit: "celsius" });
    const days = ({ structuredContent }: Input = {}): unknown => Object(structuredContent).days;
    expect(days(first)).toHaveLength(5);
    expect(days(again)).toEqual(days(first));
    expect(days(other)).not.toEqual(days(first));
  });

  it("reads well without an app", async () => {
    const { text } = await call("weather", "forecast", { city: "Rome", days: 2, unit: "fahrenheit" });
    expect(text).toMatch(/^The weather in Rome/);
    expect(text.split("\n")[1]).toMatch(
      /^- \w+day, \w+ \d+: [a-z ]+, -?\d+ °F to -?\d+ °F, \d+ % chance of rain/,
    );
    expect(text.split("\n")).toHaveLength(3);
  });

  it("keeps the tool of the app from the model", async () => {
    const { tools } = await clientOf("weather").listTools();
    const visible = tools.filter((tool) => isVisibleTo(tool, "model")).map(({ name }) => name);
    expect(visible).toEqual(["forecast"]);
  });

  it.each([
    [{ city: " " }, "Name a city"],
    [{ city: "Rome", days: 8 }, "days"],
    [{ city: "Rome", unit: "kelvin" }, "unit"],
    [{}, "city"],
  ])("refuses %j with a reason", async (input, reason) => {
    expect(await refusal("weather", "forecast", input)).toContain(reason);
  });
});

describe("board", () => {
  it("keeps what was done, and tells who subscribed", async () => {
    const client = clientOf("board");
    const uri = "board://cards";
    const cards = async (): Promise<string[]> => {
      const { structuredContent } = await call("board", "show_board");
      return Object(structuredContent).cards.map((card: Input) => `${card["column"]}: ${card["title"]}`);
    };
    await client.subscribeResource({ uri });
    const added = await call("board", "add_card", { title: '=1+1, "quoted"' });
    const { id } = Object(added.structuredContent);
    expect((await cards()).at(-1)).toBe('todo: =1+1, "quoted"');
    await call("board", "move_card", { id, column: "done", position: 0 });
    expect((await cards()).filter((card) => card.startsWith("done"))[0]).toBe('done: =1+1, "quoted"');
    expect((await call("board", "export_board")).text).toContain(`${id},"'=1+1, ""quoted""",Done\r\n`);
    await call("board", "delete_card", { id });
    expect((await cards()).join()).not.toContain("quoted");
    await expect.poll(() => updates).toEqual([uri, uri, uri]);
    await client.unsubscribeResource({ uri });
  });

  it("says which tools change something, and which destroy", async () => {
    const { tools } = await clientOf("board").listTools();
    const hints = tools.map(({ name, annotations }) => [
      name,
      annotations?.readOnlyHint,
      annotations?.destructiveHint,
    ]);
    expect(hints).toEqual([
      ["show_board", true, undefined],
      ["add_card", false, false],
      ["move_card", false, false],
      ["delete_card", false, true],
      ["export_board", true, undefined],
    ]);
  });

  it.each([
    ["add_card", { title: "" }, "A card needs a title."],
    ["move_card", { id: "1", column: "attic" }, "column"],
    ["delete_card", { id: "no" }, 'There is no card "no"; there are 1, 2, 3, 4, 5'],
  ])("%s refuses %j with a reason", async (tool, input, reason) => {
    expect(await refusal("board", tool, input)).toContain(reason);
  });

  it("has nothing to tell of other resources", async () => {
    await expect(clientOf("board").subscribeResource({ uri: "file:///etc/passwd" })).rejects.toThrow(
      "board://cards",
    );
  });
});

describe("lab", () => {
  it("slow tells its progress", async () => {
    const heard: (number | undefined)[] = [];
    const onprogress = ({ progress, total }: { progress: number; total?: number }) => {
      heard.push(progress, total);
    };
    await clientOf("lab").callTool({ name: "slow", arguments: { seconds: 0.6 } }, { onprogress });
    expect(heard).toEqual([0, 2, 1, 2]);
  });

  it("slow can be cancelled, and the server goes on", async () => {
    const controller = new AbortController();
    const onprogress = () => controller.abort();
    const slow = clientOf("lab").callTool(
      { name: "slow", arguments: { seconds: 600 } },
      { onprogress, signal: controller.signal },
    );
    await expect(slow).rejects.toThrow();
    expect((await call("lab", "text_only")).text).toContain("<b>tags</b>");
  });

  it("answers in every kind", async () => {
    expect(await refusal("lab", "fails", { message: "out of paper" })).toBe("out of paper");
    expect((await call("lab", "structured")).structuredContent).toHaveProperty("planets");
    expect((await call("lab", "big", { kilobytes: 3 })).text).toHaveLength(3 * 1024);
    const { content } = await call("lab", "image");
    const picture = content.find((block) => block.type === "image");
    expect(Buffer.from(picture?.data ?? "", "base64").toString("latin1", 1, 4)).toBe("PNG");
  });

  it("every_field has a default for all fields but one, and the defaults are right", async () => {
    const { tools } = await clientOf("lab").listTools();
    const schema = tools.find(({ name }) => name === "every_field")?.inputSchema;
    expect(schema?.required).toEqual(["required"]);
    expect(JSON.stringify(schema)).toMatch(/"oneOf".*"anyOf"/);
    const { isError, text } = await call("lab", "every_field", { required: "yes" });
    expect(isError).toBeFalsy();
    expect(JSON.parse(text)).toMatchObject({
      shape: { kind: "circle" },
      person: { address: { city: "London" } },
    });
    expect(await refusal("lab", "every_field", { required: "yes", whole: 11 })).toContain("whole");
  });
});
