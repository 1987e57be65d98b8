/**
 * The right pane: the inspector of an app, or of a server.
 *
 * @module
 */
import { memo, useState } from "react";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { Inspector } from "../inspector/inspector.js";
import { Boundary } from "../shell/boundary.js";
import "./inspector-pane.css";
import { part } from "../part.js";

/** Loaded when a user first looks at a server. */
const ServerInspector = part(
  "The inspector of servers",
  async () => (await import("../server-inspector/server-inspector.js")).ServerInspector,
  <p className="in-none soft">Loading…</p>,
);

/** Inspects an app, or a server. */
export const InspectorPane = memo(({ workbench }: { workbench: Workbench }) => {
  const [scope, setScope] = useState<"app" | "server">("app");
  return (
    <div className="inspector-pane">
      <h2 className="visually-hidden">Inspector</h2>
      <ToggleButtonGroup
        className="inspector-scope"
        aria-label="What to inspect"
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[scope]}
        onSelectionChange={(keys) => setScope(keys.has("server") ? "server" : "app")}
      >
        <ToggleButton id="app" className="inspector-scope-button">
          App
        </ToggleButton>
        <ToggleButton id="server" className="inspector-scope-button">
          Server
        </ToggleButton>
      </ToggleButtonGroup>
      {scope === "app" ? (
        <Inspector workbench={workbench} />
      ) : (
        <Boundary name="The inspector of servers">
          <ServerInspector workbench={workbench} />
        </Boundary>
      )}
    </div>
  );
});
