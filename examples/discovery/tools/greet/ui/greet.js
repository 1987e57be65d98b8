// Without a library: the few messages that a view must know.
const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

addEventListener("message", ({ source, data }) => {
  if (source !== parent) return;
  if (data.id === 1 && data.result) send({ method: "ui/notifications/initialized" });
  if (data.method === "ui/notifications/tool-result")
    document.getElementById("greeting").textContent = data.params.structuredContent?.greeting ?? "Nobody";
  if (data.method === "ui/resource-teardown") send({ id: data.id, result: {} });
});

send({
  id: 1,
  method: "ui/initialize",
  params: {
    protocolVersion: "2026-01-26",
    appInfo: { name: "greet", version: "1.0.0" },
    appCapabilities: {},
  },
});
