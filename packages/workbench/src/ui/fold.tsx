/**
 * Something to unfold.
 *
 * @module
 */
import type { ReactNode } from "react";
import { Button, Disclosure, DisclosurePanel } from "react-aria-components";

/** A line, and what is behind it once somebody asks. */
export function Fold({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Disclosure className="fold-box">
      {({ isExpanded }) => (
        <>
          <Button slot="trigger" className="fold-button small soft">
            <span className="fold" aria-hidden="true">
              ›
            </span>
            {name}
          </Button>
          {/* What nobody looks at is not drawn: it may be large. */}
          <DisclosurePanel>{isExpanded && children}</DisclosurePanel>
        </>
      )}
    </Disclosure>
  );
}
