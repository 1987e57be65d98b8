/**
 * Opens the dialog in which models are set up.
 *
 * @module
 */
import { Sparkles } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
// With the page: styles of a part that is loaded later would move what is there.
import "./models.css";

const ModelsDialog = lazy(async () => ({ default: (await import("./models-dialog.js")).ModelsDialog }));

/** Props of a {@link ModelsButton}. */
export interface ModelsButtonProps {
  workbench: Workbench;
  /** No model answers yet. */
  isWanted: boolean;
  /** Where the button stands alone, it says more. */
  name?: string;
}

/** A button with the dialog. It stands out while no model answers. */
export function ModelsButton({ workbench, isWanted, name }: ModelsButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        className={isWanted ? "button primary models-button" : "button quiet models-button"}
        aria-label={name ?? "Models"}
        onPress={() => setOpen(true)}
      >
        <Sparkles />
        {name ?? <span className="wide-only">Models</span>}
      </Button>
      {isOpen && (
        <Suspense>
          <ModelsDialog workbench={workbench} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
