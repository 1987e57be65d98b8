/**
 * The command palette: tools, conversations and commands, by typing.
 *
 * @module
 */
import { type ReactNode, useEffect, useMemo, useState } from "react";
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { useObservable } from "../use-observable.js";
import "./palette.css";
import {
  conversationEntries,
  foundEntries,
  type PaletteEntry,
  type PaletteSection,
  toolEntries,
} from "./palette-entries.js";
import type { Screen } from "./screen.js";

/** Props of a {@link Palette}. */
export interface PaletteProps {
  workbench: Workbench;
  screen: Screen;
  /** Commands of the page. */
  commands: readonly PaletteEntry[];
}

/** The palette, over the page. */
export default function Palette({ workbench, screen, commands }: PaletteProps): ReactNode {
  const { conversation, conversations, servers } = workbench;
  useObservable(servers);
  useObservable(conversations);
  const [search, setSearch] = useState("");
  useEffect(() => void conversations.load(), [conversations]);
  const sections: PaletteSection[] = [
    {
      title: "Tools",
      entries: toolEntries(servers.list, ({ server, facts }) =>
        screen.choose({ server, tool: facts.tool.name }),
      ),
    },
    { title: "Commands", entries: commands },
    {
      title: "Conversations",
      entries: conversationEntries(conversations.list, conversation.id, (id) => void conversation.open(id)),
    },
  ];
  const found = foundEntries(sections, search);
  const close = (): void => screen.show(undefined);
  const run = (id: string | number): void => {
    close();
    for (const { entries } of sections) entries.find((entry) => entry.id === id)?.act();
  };
  const all = useMemo(() => () => true, []);
  return (
    <ModalOverlay className="modal-shade palette-shade" isOpen isDismissable onOpenChange={close}>
      <Modal className="modal palette-modal">
        <Dialog className="palette" aria-label="Commands">
          <Autocomplete inputValue={search} onInputChange={setSearch} filter={all}>
            <SearchField
              className="palette-search"
              aria-label="Search tools, commands and conversations"
              autoFocus
            >
              <Input className="palette-input" placeholder="Search tools, commands, conversations" />
            </SearchField>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
            <section className="palette-list" aria-label="Found" tabIndex={0}>
              <Menu
                className="menu"
                aria-label="Found"
                items={found}
                onAction={run}
                renderEmptyState={() => (
                  <p className="soft palette-nothing">Nothing has “{search.trim()}” in its name.</p>
                )}
              >
                {found.map(({ title, entries }) => (
                  <MenuSection key={title} id={title}>
                    <Header className="palette-heading">{title}</Header>
                    {entries.map((entry) => (
                      <MenuItem
                        key={entry.id}
                        id={entry.id}
                        className="menu-item palette-entry"
                        textValue={entry.title}
                      >
                        <span className="palette-title">{entry.title}</span>
                        {entry.detail && <span className="soft small">{entry.detail}</span>}
                        {entry.keys && <kbd className="keys">{entry.keys}</kbd>}
                      </MenuItem>
                    ))}
                  </MenuSection>
                ))}
              </Menu>
            </section>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
