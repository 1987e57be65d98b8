import type { Line } from "./loop.js";

/** Sends a message, and reads the lines of the answer as they arrive. */
export async function* ask(text: string, signal: AbortSignal): AsyncGenerator<Line> {
  const answer = await fetch("/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
    signal,
  });
  if (!answer.ok || !answer.body) throw new Error(await answer.text());
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}
