export * from "../../chat/requests.js";
