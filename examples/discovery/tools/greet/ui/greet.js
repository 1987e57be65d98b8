// Without a library: the few messages that a view needs.
const send = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

const show = (result) => {
  document.getElementById("greeting").textContent = result.structuredContent?.greeting ?? "Nobody";
};

addEventListener("message", ({ source, data }) => {
  if (source !== parent) return;
  if (data.id === 1 && data.result) send({ method: "ui/notifications/initialized" });
  if (data.id === 2 && data.result) show(data.result);
  if (data.method === "ui/notifications/tool-result") show(data.params);
  if (data.method === "ui/resource-teardown") send({ id: data.id, result: {} });
});

document.getElementById("everybody").onclick = () =>
  send({ id: 2, method: "tools/call", params: { name: "greet", arguments: { name: "everybody" } } });

send({
  id: 1,
  method: "ui/initialize",
  params: {
    protocolVersion: "2026-01-26",
    appInfo: { name: "greet", version: "1.0.0" },
    appCapabilities: {},
  },
});
