import { memoryPair, Peer } from "@vitrine/protocol";

const [viewEnd, hostEnd] = memoryPair();

const host = new Peer<"host">();
host.handle("tools/call", async ({ name }, context) => {
  context.progress?.({ progress: 1, total: 2 });
  context.signal.throwIfAborted();
  return { content: [{ type: "text", text: `${name} is done` }] };
});
host.open(hostEnd);

const view = new Peer<"view">();
view.open(viewEnd);
const result = await view.request(
  "tools/call",
  { name: "search", arguments: { query: "tea" } },
  {
    timeout: 5_000,
    signal: AbortSignal.timeout(10_000),
    onprogress: ({ progress, total }) => console.log(`${progress} of ${total}`),
  },
);
console.log(result.content);
view.close();
