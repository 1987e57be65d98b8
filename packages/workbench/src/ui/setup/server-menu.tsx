/**
 * The menu of a server: edit, disable, logs, remove.
 *
 * @module
 */
import { Ellipsis } from "lucide-react";
import { lazy, Suspense, useCallback, useState } from "react";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { messageOf } from "../../model/messages/messages.js";
import type { Setup } from "../../model/setup.js";
import { useObservable } from "../use-observable.js";

const EditDialog = lazy(async () => ({ default: (await import("./edit-dialog.js")).EditDialog }));
const LogDialog = lazy(async () => ({ default: (await import("./log-dialog.js")).LogDialog }));
const LevelDialog = lazy(async () => ({ default: (await import("./level-dialog.js")).LevelDialog }));
const SetupDialog = lazy(async () => ({ default: (await import("./setup-dialog.js")).SetupDialog }));

type Doing = "edit" | "log" | "level" | "remove";

/** Props of a {@link ServerMenu}. */
export interface ServerMenuProps {
  setup: Setup;
  name: string;
  /** Undefined for a server that does not run. */
  identity?: string | undefined;
}

/** The menu, with the dialogs that it opens. A server that is not in the file has only a log. */
export function ServerMenu({ setup, name, identity }: ServerMenuProps) {
  useObservable(setup);
  const [doing, setDoing] = useState<Doing>();
  const [problem, setProblem] = useState<string>();
  const server = setup.server(name);
  // The dialog keeps what the file had when it was opened.
  const [opened, setOpened] = useState(server);
  const close = useCallback(() => setDoing(undefined), []);
  const toggle = async (disabled: boolean): Promise<void> => {
    if (!server) return;
    setProblem(undefined);
    try {
      await setup.send("gateway/change-server", { name, version: server.version, disabled });
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const remove = async (): Promise<void> => {
    close();
    try {
      if (opened) await setup.send("gateway/remove-server", { name, version: opened.version });
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const isFixed = server === undefined || setup.state?.readOnly !== undefined;
  return (
    <>
      <MenuTrigger>
        <Button className="button quiet icon" aria-label={`More about ${name}`}>
          <Ellipsis />
        </Button>
        <Popover className="popover" placement="bottom end">
          <Menu
            className="menu"
            disabledKeys={[
              ...(isFixed ? ["edit", "toggle", "remove"] : []),
              ...(identity === undefined ? ["level"] : []),
            ]}
            onAction={(key) => {
              if (key === "toggle") void toggle(!server?.disabled);
              else {
                setOpened(server);
                setDoing(key as Doing);
              }
            }}
          >
            <MenuItem id="edit" className="menu-item">
              Edit…
            </MenuItem>
            <MenuItem id="toggle" className="menu-item">
              {server?.disabled ? "Enable" : "Disable"}
            </MenuItem>
            <MenuItem id="log" className="menu-item">
              Logs
            </MenuItem>
            <MenuItem id="level" className="menu-item">
              How often its apps ask…
            </MenuItem>
            <MenuItem id="remove" className="menu-item">
              Remove…
            </MenuItem>
          </Menu>
        </Popover>
      </MenuTrigger>
      {problem !== undefined && (
        <p className="problem small server-failed" role="alert">
          {problem}
        </p>
      )}
      <Suspense>
        {doing === "edit" && opened && <EditDialog setup={setup} server={opened} onClose={close} />}
        {doing === "log" && <LogDialog setup={setup} name={name} onClose={close} />}
        {doing === "level" && identity !== undefined && (
          <LevelDialog name={name} identity={identity} onClose={close} />
        )}
        {doing === "remove" && (
          <SetupDialog
            title={`Remove ${name}?`}
            onClose={close}
            action="Remove"
            onAction={() => void remove()}
          >
            <p>
              It is removed from <code className="mono">{setup.state?.file}</code>, with the secrets that were
              stored for it here. Its apps in conversations stay as records.
            </p>
          </SetupDialog>
        )}
      </Suspense>
    </>
  );
}
