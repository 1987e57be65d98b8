/**
 * Opens the dialog in which models are set up.
 *
 * @module
 */
import { Sparkles } from "lucide-react";
import { useState } from "react";
import { Button } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
// With the page: styles of a part that is loaded later would move what is there.
import "./models.css";
import { part } from "../part.js";

const ModelsDialog = part("The models", async () => (await import("./models-dialog.js")).ModelsDialog);

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
        onHoverStart={ModelsDialog.prepare}
        onFocus={ModelsDialog.prepare}
        onPress={() => setOpen(true)}
      >
        <Sparkles />
        {name ?? <span className="wide-only">Models</span>}
      </Button>
      {isOpen && <ModelsDialog workbench={workbench} onClose={() => setOpen(false)} />}
    </>
  );
}
