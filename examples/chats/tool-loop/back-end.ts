export * from "../../chat/back-end.js";
