/**
 * Attributes of `<mcp-app>` in React.
 *
 * @module
 */
import type { AriaAttributes, DetailedHTMLProps, HTMLAttributes } from "react";

/** Attributes of `<mcp-app>` in JSX. */
export type McpAppAttributes = DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> & {
  keep?: "" | undefined;
};

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "mcp-app": McpAppAttributes;
    }
  }
}

/** Attributes that the component passes on to its element, beside `aria-*` and `data-*`. */
export type ElementAttributes = Pick<
  HTMLAttributes<HTMLElement>,
  "className" | "dir" | "hidden" | "id" | "lang" | "role" | "slot" | "style"
> &
  AriaAttributes & {
    /** Keeps the app running when it is far from the screen. */
    keep?: boolean | undefined;
  };

const ATTRIBUTE = /^(?:dir|id|lang|role|slot|style|aria-.+|data-.+)$/;

/** The attributes among the props. React 18 would write `hidden="false"`. */
export const attributesOf = (
  props: Pick<ElementAttributes, "className" | "hidden" | "keep">,
): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(props).filter(([name]) => ATTRIBUTE.test(name))),
  class: props.className,
  hidden: props.hidden || undefined,
  keep: props.keep ? "" : undefined,
});
