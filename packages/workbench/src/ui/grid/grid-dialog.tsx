/**
 * The grid over the page: the apps below continue.
 *
 * @module
 */
import { Button, Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import type { Workbench } from "../../model/workbench.js";
import { Boundary } from "../shell/boundary.js";
import { go } from "../shell/use-hash.js";
import { GridView } from "./grid-view.js";

/** The dialog. The page's address says that it is open. */
export function GridDialog({ workbench }: { workbench: Workbench }) {
  return (
    <ModalOverlay className="modal-shade" isOpen onOpenChange={() => go("")}>
      <Modal className="modal">
        <Dialog className="grid-dialog" aria-label="Grid">
          <header className="header">
            <Heading slot="title" level={2}>
              Grid
            </Heading>
            <span className="header-space" />
            <Button className="button" slot="close">
              Close
            </Button>
          </header>
          <Boundary name="The grid">
            <GridView workbench={workbench} />
          </Boundary>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
