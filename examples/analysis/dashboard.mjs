// A view with the class `McpApp`: positional arguments, plain values.
import { viewScript } from "@vitrine/view/script";

export const page = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Data Dashboard</title>
  <script>${viewScript({ name: "MyApp", version: "1.0.0" })}</script>
</head>
<body>
  <div id="status" role="status">Connecting...</div>
  <div id="preview" hidden></div>
  <pre id="result" hidden></pre>
  <button id="refresh" hidden>Refresh Data</button>
  <script>
    const app = new McpApp();
    const [status, preview, result, refresh] =
      ["status", "preview", "result", "refresh"].map((id) => document.getElementById(id));

    function render({ structuredContent, content }) {
      result.hidden = refresh.hidden = false;
      result.textContent = structuredContent
        ? JSON.stringify(structuredContent, null, 2)
        : content.map((each) => each.text).join("\\n");
    }

    // While the model is still writing the arguments.
    app.ontoolinputpartial = (args) => {
      preview.hidden = false;
      preview.textContent = "Preparing: " + JSON.stringify(args);
    };
    app.ontoolinput = (args) => {
      preview.hidden = false;
      preview.textContent = "Analyzing: " + args.dataset;
    };
    app.ontoolresult = render;
    app.ontoolcancelled = (reason) => {
      status.textContent = "Cancelled: " + reason;
    };
    app.onhostcontextchanged = ({ theme }) => {
      if (theme) document.body.className = theme;
    };
    app.onteardown = () => {
      refresh.disabled = true;
    };
    refresh.addEventListener("click", async () => {
      render(await app.callServerTool("analyze_data", { dataset: "latest" }));
    });

    app.connect().then(({ hostContext }) => {
      status.textContent = "Connected";
      document.body.className = hostContext.theme || "light";
    });
  </script>
</body>
</html>
`;
