/**
 * A disclosure.
 *
 * @module
 */
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Button, Disclosure, DisclosurePanel } from "react-aria-components";

/** A button, with content that renders on demand. */
export function Fold({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Disclosure className="fold-box">
      {({ isExpanded }) => (
        <>
          <Button slot="trigger" className="fold-button small soft">
            <ChevronRight className="fold" />
            {name}
          </Button>
          {/* Closed content is not rendered, because it may be large. */}
          <DisclosurePanel>{isExpanded && children}</DisclosurePanel>
        </>
      )}
    </Disclosure>
  );
}
