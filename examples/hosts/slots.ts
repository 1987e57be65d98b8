import "@vitrine/host/define";

const app = document.querySelector("mcp-app");
document.querySelector("#again")?.addEventListener("click", () => void app?.frame?.mount());
app?.addEventListener("statechange", ({ detail: { state, failure } }) => {
  // For your logs: a stable code, in every language the same.
  if (state === "failed") console.warn(failure?.code, failure?.detail);
});
