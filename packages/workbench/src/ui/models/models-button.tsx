/**
 * Opens the dialog in which models are set up.
 *
 * @module
 */
import { lazy, Suspense, useState } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
// With the page: styles of a part that is loaded later would move what is there.
import "./models.css";

const ModelsDialog = lazy(async () => ({ default: (await import("./models-dialog.js")).ModelsDialog }));

/** A button with the dialog. It stands out while no model answers. */
export function ModelsButton({ workbench, isWanted }: { workbench: Workbench; isWanted: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button className={isWanted ? "button primary" : "button"} onPress={() => setOpen(true)}>
        Models
      </Button>
      {isOpen && (
        <Suspense>
          <ModelsDialog workbench={workbench} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
