export * from "./theme.js";
export * from "./view.js";
