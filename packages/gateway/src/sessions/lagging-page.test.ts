/** A page that reads slowly gets the final state, however much is queued for it. */
import {
  type ConversationNotices,
  type ConversationState,
  type OpenedView,
  SESSION_LIMITS,
  Session,
} from "@vitrine/wire";
import { afterEach, expect, it } from "vitest";
import { type ConversationStage, conversationStage } from "../../../../testing/gateway/conversation-stage.js";
import { NO_HEIRS } from "../../../../testing/gateway/guard-stage.js";
import { UserCapabilities, UserRoots } from "../asks/index.js";
import { PageSession } from "./page-session.js";
import { LiveSession, type PageTransport } from "./transports/live-session.js";
import { INPUT_RATES, InputRate } from "./transports/rate.js";
import { UserTasks } from "./user-tasks.js";

let stage: ConversationStage | undefined;
afterEach(async () => stage?.close());

/** Both ends of a connection; the gateway's end reports that it is full while the page does not read. */
class Line {
  readonly #toPage: string[] = [];
  isStuck = false;
  readonly gateway: PageTransport;
  readonly page: PageTransport;
  readonly #session: LiveSession;
  readonly #at: Session;

  constructor(session: LiveSession, page: Session) {
    const isStuck = () => this.isStuck;
    const more = { end: () => {}, bye: () => {} };
    this.#session = session;
    this.#at = page;
    this.gateway = {
      send: (frame: string) => void this.#toPage.push(frame),
      ...more,
      get full() {
        return isStuck();
      },
    } as PageTransport;
    this.page = { send: (frame) => session.receive(this.gateway, frame), ...more };
    page.attach(this.page, { received: 0 });
    session.take(this.gateway, 0);
  }

  /** Reads everything that is queued. */
  async read(): Promise<void> {
    this.isStuck = false;
    for (let quiet = 0; quiet < 5; quiet++) {
      this.#session.wire.flush();
      for (let frame = this.#toPage.shift(); frame !== undefined; frame = this.#toPage.shift()) {
        quiet = 0;
        this.#at.receive(this.page, frame);
        this.#session.wire.flush();
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** A page that follows a conversation like Vitrine's pages: it requests what it missed. */
class Reader {
  seq = 0;
  title = "";
  readonly session = new Session({ limits: { ...SESSION_LIMITS, holdWhenFull: true } });
  #last = 0;

  constructor() {
    this.session.onmessage = (channel, text) => {
      if (channel === ".") this.#hear(JSON.parse(text) as Record<string, unknown>);
    };
  }

  open(id?: string): void {
    const message = { jsonrpc: "2.0", id: `r.${++this.#last}`, method: "conversation/open", params: { id } };
    this.session.send(".", JSON.stringify(message));
  }

  #hear({ method, params, result }: Record<string, unknown>): void {
    if (result) ({ seq: this.seq, title: this.title } = result as ConversationState);
    if (method !== "conversation/changed") return;
    const { id, seq, changes } = params as ConversationNotices["conversation/changed"];
    if (seq <= this.seq) return;
    if (seq > this.seq + 1 || changes.length === 0) {
      this.open(id);
      return;
    }
    this.seq = seq;
    for (const change of changes) if (change.kind === "state") this.title = change.title;
  }
}

async function setUp() {
  stage = await conversationStage([]);
  const { conversations } = stage;
  const nothing = (): never => {
    throw new Error("no test here needs this");
  };
  const session = new LiveSession(
    "ana",
    SESSION_LIMITS,
    { now: 0 },
    {
      rate: new InputRate(INPUT_RATES, 0),
      onerror: nothing,
    },
  );
  const page = new PageSession({
    user: "ana",
    wire: session,
    mayBeOld: false,
    conversations,
    known: NO_HEIRS,
    capabilities: new UserCapabilities(),
    declarable: () => ({}),
    roots: new UserRoots(() => undefined),
    tasks: new UserTasks(),
    isShared: () => false,
    oauthSession: () => undefined,
    markSignIn: async () => {},
    fields: () => [],
    onerror: nothing,
    refused: async () => {},
    sampling: { fromView: nothing },
    models: { state: nothing, choose: nothing, setup: Object(undefined) },
    summaries: () => [],
    server: nothing,
    pass: nothing,
    refuse: nothing,
    catalogue: nothing,
    start: nothing,
    restart: nothing,
    document: nothing,
    closeDocument: nothing,
    know: nothing,
    forget: nothing,
    prepare: nothing,
    restore: async (opened: OpenedView) => opened,
  });
  session.handler = {
    onmessage: (channel, text) => page.receive(channel, text),
    ondrain: () => page.resume(),
    onend: () => page.end(),
  };
  const reader = new Reader();
  const line = new Line(session, reader.session);
  const conversation = await conversations.open("ana");
  reader.open(conversation.id);
  await line.read();
  return { conversation, session, line, reader };
}

it.each([
  ["nothing", 0],
  ["much", 990_000],
  ["slightly more than the limit", 1_010_000],
  ["almost the high-water mark", 1_047_000],
  ["the high-water mark", 1_060_000],
  ["far more", 5_000_000],
])("with %s queued, a page gets the final state", async (_name, size) => {
  const { conversation, session, line, reader } = await setUp();
  await conversation.rename("Before");
  await line.read();
  expect(reader.title).toBe("Before");
  line.isStuck = true;
  if (size > 0) session.send("v1", "x".repeat(size));
  await conversation.rename("The last word");
  await line.read();
  expect(session.queuedBytes).toBe(0);
  expect(reader).toMatchObject({ title: "The last word", seq: conversation.state().seq });
});
