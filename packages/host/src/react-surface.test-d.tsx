/** Attributes of the element and of the component that TypeScript accepts in JSX. */
import type { McpAppElement } from "@vitrine/host";
import { McpApp, type McpAppProps } from "@vitrine/host/react";
import { createRef } from "react";
import { expectTypeOf, test } from "vitest";

declare const props: McpAppProps;

test("<mcp-app> is an element of JSX", () => {
  const element = createRef<McpAppElement>();
  <mcp-app ref={element} id="a" style={{ width: 1 }} aria-label="an app" data-turn="1" />;
  // @ts-expect-error: not an attribute
  <mcp-app href="/" />;
});

test("<McpApp> takes attributes, and its ref is the bridge", () => {
  <McpApp
    {...props}
    ref={(bridge) => {
      expectTypeOf(bridge?.sendToolCancelled).not.toBeAny();
    }}
    id="a"
    style={{ width: 1 }}
    aria-label="an app"
    data-turn="1"
  />;
  // @ts-expect-error: an app has a title
  <McpApp {...props} title={1} />;
});
