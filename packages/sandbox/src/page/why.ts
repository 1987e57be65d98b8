/** Tells a page why it cannot show an app: what the sandbox knows about the view, this page and those around it. */
import { matchesHost } from "./match-host.js";

const { hosts = "", embedders = "", known, off } = document.body.dataset;
const isAllowed = (origin: string, sources: string): boolean =>
  sources.split(" ").some((source) => matchesHost(source, origin));

addEventListener("message", ({ source, origin }) => {
  if (source !== parent) return;
  // Not every browser reveals them.
  const around = [...(location.ancestorOrigins ?? [])].slice(1);
  const stranger = around.find((each) => !isAllowed(each, `${hosts} ${embedders}`));
  const [cause, detail] =
    known === undefined
      ? [
          "view-unknown",
          off === undefined
            ? "The sandbox does not have this view: register it again, with the same secret."
            : "The sandbox shows only views that a back end registered: set its `pageViews`.",
        ]
      : !isAllowed(origin, hosts)
        ? ["not-a-host", `The sandbox does not allow the page ${origin}: add it to its \`hosts\`.`]
        : stranger
          ? [
              "not-an-embedder",
              `The sandbox does not allow ${stranger} around this page: add it to its \`embedders\`.`,
            ]
          : [
              "refused",
              "The sandbox allows this page, but the browser did not show the app. If this page sends Cross-Origin-Embedder-Policy, set the sandbox's `embedderPolicy`.",
            ];
  // Any page may know this, and only some origins can be named as a target.
  parent.postMessage(
    { jsonrpc: "2.0", method: "ui/notifications/sandbox-why", params: { cause, detail } },
    "*",
  );
});
