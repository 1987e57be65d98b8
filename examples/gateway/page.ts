/** A page whose servers are behind a gateway: a button for every app, and the apps. */
//#region page
import { askInPage } from "@vitrine/host";
import "@vitrine/host/define";
import { connectGateway, type GatewayView, showView } from "@vitrine/host/gateway";

const gateway = connectGateway({
  url: "/api/session",
  onstate: ({ phase }) => say(phase),
  // Asks the user in the page, where no app can draw.
  onask: askInPage,
});

function show(view: GatewayView): void {
  const app = document.createElement("mcp-app");
  showView(app, view, {
    info: { name: "my-chat", version: "1.0.0" },
    // The page acts for apps here. The gateway checks and records each request first.
    handlers: { openLink: ({ url }) => void window.open(url, "_blank", "noopener") },
  });
  document.querySelector("main")?.append(app);
  view.onclosed = (reason) => void app.close(reason);
}

// After a reload, the gateway still has the views that this tab had open.
for (const view of await gateway.restoreViews()) show(view);

const { servers } = await gateway.request("gateway/servers", {});
for (const { name } of servers) {
  const catalogue = gateway.request("gateway/catalogue", { server: name });
  // A server that does not start has no buttons; the others have theirs.
  const { views } = await catalogue.catch((error) => {
    say(`${name}: ${error.message}`);
    return { views: [] };
  });
  for (const { tool } of views) {
    const button = document.createElement("button");
    button.textContent = `${name}: ${tool}`;
    // Opens the tool's app, and calls the tool.
    button.onclick = async () => show(await gateway.openView({ server: name, tool, arguments: {} }));
    document.querySelector("nav")?.append(button);
  }
}

function say(text: string): void {
  const status = document.querySelector("#status");
  if (status) status.textContent = text;
}
//#endregion page
