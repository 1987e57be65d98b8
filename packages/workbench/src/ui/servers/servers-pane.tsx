/**
 * All servers with their tools, and a search.
 *
 * @module
 */
import { X } from "lucide-react";
import { memo, useMemo, useState } from "react";
import { Button, Input, SearchField } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { AddButton } from "../setup/add-button.js";
import { IdleServers, PendingList } from "../setup/setup-parts.js";
import { Boundary } from "../shell/boundary.js";
import { useObservable } from "../use-observable.js";
import { ServerSection } from "./server-section.js";
import "./servers.css";
import { part } from "../part.js";
import { foundIn, toolFacts } from "./tool-facts.js";

/** Loaded with its form, which is large. */
const ToolPage = part(
  "The form",
  async () => (await import("./tool-page.js")).ToolPage,
  <p className="soft">Loading…</p>,
);

/** The selected tool. */
export interface ChosenTool {
  readonly server: string;
  readonly tool: string;
}

/** Props of a {@link ServersPane}. */
export interface ServersPaneProps {
  workbench: Workbench;
  chosen: ChosenTool | undefined;
  onChoose: (tool: ChosenTool | undefined) => void;
  /** Called after a tool was called. */
  onRun: () => void;
}

/** The left pane: the tools, or the form of one. */
export const ServersPane = memo(({ workbench, chosen, onChoose, onRun }: ServersPaneProps) => {
  const { servers, setup } = workbench;
  useObservable(servers);
  useObservable(setup);
  const [search, setSearch] = useState("");
  const known = servers.list;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is made anew each time; its version says whether it changed.
  const listed = useMemo(
    () => known.map((server) => ({ server, tools: server.catalogue ? toolFacts(server.catalogue) : [] })),
    [servers.version],
  );
  const wanted = search.trim();
  const found = listed.flatMap(({ server, tools: all }) => {
    const tools = foundIn(server.summary.name, all, wanted);
    return tools ? [{ server, tools }] : [];
  });
  const open = chosen && listed.find(({ server }) => server.summary.name === chosen.server);
  const facts = open?.tools.find(({ tool }) => tool.name === chosen?.tool);
  return (
    <>
      {chosen && (
        <ToolPage
          key={JSON.stringify(chosen)}
          workbench={workbench}
          chosen={chosen}
          facts={facts}
          onBack={() => onChoose(undefined)}
          onRun={onRun}
        />
      )}
      {/* Kept while a tool is open: where one was in the list is where one comes back to. */}
      <div className="servers" hidden={chosen !== undefined}>
        <h2 className="visually-hidden">Servers and tools</h2>
        <SearchField className="search" aria-label="Search tools" value={search} onChange={setSearch}>
          <Input className="input" placeholder="Search tools of all servers" />
          {search !== "" && (
            <Button className="button quiet icon" aria-label="Clear the search">
              <X />
            </Button>
          )}
        </SearchField>
        <div className="server-list">
          <PendingList workbench={workbench} />
          {found.map(({ server, tools }) => (
            <Boundary key={server.summary.name} name={server.summary.name}>
              <ServerSection
                servers={servers}
                setup={setup}
                server={server}
                tools={tools}
                isSearching={wanted !== ""}
                onChoose={(tool) => onChoose({ server: server.summary.name, tool })}
              />
            </Boundary>
          ))}
          {wanted === "" && <IdleServers workbench={workbench} />}
          {servers.isKnown && known.length === 0 && (
            <div className="empty">
              <h2>No servers</h2>
              <p>
                {setup.isAvailable
                  ? "Add one by its address, its command, or from a file of another program."
                  : "Name one on the command line, or in the settings file."}
              </p>
              <AddButton workbench={workbench} isPrimary />
            </div>
          )}
          {wanted && found.length === 0 && (
            <p className="soft nothing" role="status">
              No tool has “{wanted}” in its name, title or description, and no server in its name.
            </p>
          )}
        </div>
        {known.length > 0 && setup.isAvailable && (
          <div className="setup-bar">
            <AddButton workbench={workbench} />
          </div>
        )}
      </div>
    </>
  );
});
