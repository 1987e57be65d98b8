/** Host information and context of the interop tests. */
import type { StyleVariables } from "@vitrine/protocol";

/** A few variables, where the official types want all of them. */
export const someVariables = (variables: Partial<StyleVariables>): StyleVariables =>
  variables as StyleVariables;

export const HOST_INFO = { name: "test-host", version: "7.7.7" };

export const HOST_CAPABILITIES = {
  openLinks: {},
  downloadFile: {},
  serverTools: {},
  serverResources: {},
  logging: {},
  updateModelContext: {},
  message: {},
  sampling: {},
};

export const CONTEXT = {
  theme: "light" as const,
  displayMode: "inline" as const,
  availableDisplayModes: ["inline" as const, "fullscreen" as const],
  locale: "en-GB",
  styles: { variables: someVariables({ "--color-text-primary": "rgb(1, 2, 3)" }) },
};

export const RESULT = {
  content: [{ type: "text" as const, text: "42" }],
  structuredContent: { answer: 42 },
};
