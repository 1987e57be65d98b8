/**
 * Reads attachments. Loaded when a user adds the first one.
 *
 * @module
 */
export { attachedContents, readAttachment } from "../../model/conversation/attachments.js";
export { shrinkPicture } from "./shrink-picture.js";
