import { allowAttribute } from "@vitrine/protocol";

const asked = { microphone: {}, clipboardWrite: {}, usb: {} };
const allow = allowAttribute(asked, (permission) => permission !== "microphone");
console.log(allow); // clipboard-write
