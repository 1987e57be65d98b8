/**
 * The button that adds a server.
 *
 * @module
 */
import { Plus } from "lucide-react";
import { useCallback, useState } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { part } from "../part.js";
import { useObservable } from "../use-observable.js";
import "./setup.css";

const AddDialog = part("The form", async () => (await import("./add-dialog.js")).AddDialog);

/** The button that adds a server, for users who may. */
export function AddButton({
  workbench,
  isPrimary,
}: {
  workbench: Workbench;
  isPrimary?: boolean | undefined;
}) {
  const { setup } = workbench;
  useObservable(setup);
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  if (!setup.isAvailable) return null;
  const { readOnly } = setup.state ?? {};
  return (
    <>
      <Button
        className={isPrimary ? "button primary" : "button"}
        isDisabled={readOnly !== undefined}
        onHoverStart={AddDialog.prepare}
        onFocus={AddDialog.prepare}
        onPress={() => setOpen(true)}
      >
        <Plus />
        Add a server
      </Button>
      {readOnly !== undefined && <p className="soft small">{readOnly}</p>}
      {isOpen && <AddDialog workbench={workbench} onClose={close} />}
    </>
  );
}
