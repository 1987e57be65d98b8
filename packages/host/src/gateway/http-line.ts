import type { Dial, Line } from "./line.js";

/** Identifies the connection in every request but the first. */
const HEADER = "vitrine-transport";
/** Maximum contents of one POST: less than the gateway's limit, whatever the characters. */
const BATCH = { frames: 500, characters: 262_144 };

/**
 * Connects with POST and an event stream, read with `fetch`, because an `EventSource` cannot send headers.
 */
export const dialHttp =
  (send: typeof fetch): Dial =>
  (url, hello, events) => {
    const over = new AbortController();
    const { signal } = over;
    const outbox: string[] = [];
    let headers: Record<string, string> = { "content-type": "application/json" };
    let isPosting = false;

    const close = (status?: number): void => {
      if (signal.aborted) return;
      over.abort();
      events.closed(line, status);
    };
    const post = async (frames: string[]): Promise<Response> => {
      const body = JSON.stringify(frames);
      return check(await send(url, { method: "POST", headers, body, signal, redirect: "error" }));
    };
    const check = async (response: Response): Promise<Response> => {
      if (response.ok) return response;
      close(response.status);
      throw response.status;
    };
    /** Only one POST at a time, so that frames arrive in order. */
    const flush = async (): Promise<void> => {
      if (isPosting) return;
      isPosting = true;
      // Batches frames of the same tick.
      await null;
      while (outbox.length > 0 && !signal.aborted) {
        let count = 0;
        for (let size = 0; count < outbox.length && count < BATCH.frames; count++) {
          size += outbox[count]?.length ?? 0;
          if (count > 0 && size > BATCH.characters) break;
        }
        await post(outbox.splice(0, count));
      }
      isPosting = false;
    };
    const open = async (): Promise<void> => {
      const { id, frames, silence } = await (await post([hello])).json();
      const [answer = ""] = frames as string[];
      headers = { ...headers, [HEADER]: `${id}` };
      if (!answer.startsWith("welcome ")) return events.frame(line, answer);
      const { body } = await check(await send(url, { headers, signal, redirect: "error" }));
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      let isOpen = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      for (;;) {
        const { done, value = "" } = (await reader?.read()) ?? { done: true };
        if (done || signal.aborted) break;
        clearTimeout(timer);
        // A stream that died silently does not end. The gateway announces its maximum silence.
        if (silence) timer = setTimeout(close, silence);
        // Only after the stream has delivered something: a proxy may buffer it forever.
        if (!isOpen) events.frame(line, answer);
        isOpen = true;
        const lines = (text + value).split("\n");
        text = lines.pop() ?? "";
        for (const each of lines)
          if (each.startsWith("data: ")) events.frame(line, JSON.parse(each.slice(6)));
      }
      close();
    };
    const line: Line = {
      kind: "http",
      send: (frame) => {
        outbox.push(frame);
        flush().catch(() => close());
      },
      end: () => close(),
      drop: (last) => {
        outbox.length = 0;
        if (!last) return over.abort();
        const body = JSON.stringify([last]);
        // `keepalive`, so that it is sent even if the page unloads. The stream ends after it: without the
        // stream the connection is gone, and the last frame would be lost.
        send(url, { method: "POST", headers, body, keepalive: true })
          .catch(() => {})
          .finally(() => over.abort());
      },
    };
    open().catch(() => close());
    return line;
  };
