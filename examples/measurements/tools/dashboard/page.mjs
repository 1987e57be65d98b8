import { viewScript } from "@vitrine/view/script";

export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Dashboard</title>
<style>
  body { color: var(--color-text-primary, #222); background: var(--color-background-primary, #fff);
    font-family: var(--font-sans, sans-serif); }
</style>
<h1>Weather</h1>
<p role="status">Waiting …</p>
<ul></ul>
<button>Refresh</button>
<script>${viewScript({ name: "dashboard", version: "1.0.0" })}</script>
<script>
  const [status, list, refresh] = ["p", "ul", "button"].map((name) => document.querySelector(name));
  const app = new vitrine.App();

  function show({ structuredContent, content, isError }) {
    if (isError) { status.textContent = content[0].text; return; }
    status.textContent = "Reading " + structuredContent.reading;
    list.replaceChildren(...structuredContent.items.map(({ city, temperature }) => {
      const item = document.createElement("li");
      item.textContent = city + ": " + temperature + " °C";
      return item;
    }));
  }

  app.ontoolresult = show;
  refresh.onclick = async () => {
    show(await app.callServerTool({ name: "refresh", arguments: {} }));
    await app.sendMessage({ role: "user", content: [{ type: "text", text: "Operation completed" }] });
  };
  app.connect();
</script>
</html>
`;
