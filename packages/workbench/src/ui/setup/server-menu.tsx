/**
 * The menu of a server: edit, disable, logs, remove.
 *
 * @module
 */
import { Ellipsis } from "lucide-react";
import { useCallback, useState } from "react";
import { messageOf } from "../../model/messages/messages.js";
import type { Setup } from "../../model/setup.js";
import { MenuButton } from "../menu-button.js";
import { part } from "../part.js";
import { useObservable } from "../use-observable.js";

const EditDialog = part("The form", async () => (await import("./edit-dialog.js")).EditDialog);
const LogDialog = part("The log", async () => (await import("./log-dialog.js")).LogDialog);
const LevelDialog = part("The dialog", async () => (await import("./level-dialog.js")).LevelDialog);
const SetupDialog = part("The dialog", async () => (await import("./setup-dialog.js")).SetupDialog);

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
      <MenuButton
        name={`More about ${name}`}
        placement="bottom end"
        entries={[
          { id: "edit", label: "Edit…", isDisabled: isFixed },
          { id: "toggle", label: server?.disabled ? "Enable" : "Disable", isDisabled: isFixed },
          { id: "log", label: "Logs" },
          { id: "level", label: "How often its apps ask…", isDisabled: identity === undefined },
          { id: "remove", label: "Remove…", isDisabled: isFixed },
        ]}
        onAction={(id) => {
          if (id === "toggle") void toggle(!server?.disabled);
          else {
            setOpened(server);
            setDoing(id as Doing);
          }
        }}
      >
        <Ellipsis />
      </MenuButton>
      {problem !== undefined && (
        <p className="problem small server-failed" role="alert">
          {problem}
        </p>
      )}
      {doing === "edit" && opened && <EditDialog setup={setup} server={opened} onClose={close} />}
      {doing === "log" && <LogDialog setup={setup} name={name} onClose={close} />}
      {doing === "level" && identity !== undefined && (
        <LevelDialog name={name} identity={identity} onClose={close} />
      )}
      {doing === "remove" && (
        <SetupDialog title={`Remove ${name}?`} onClose={close} action="Remove" onAction={() => void remove()}>
          <p>
            It is removed from <code className="mono">{setup.state?.file}</code>, with the secrets that were
            stored for it here. Its apps in conversations stay as records.
          </p>
        </SetupDialog>
      )}
    </>
  );
}
