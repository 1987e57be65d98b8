import { readUiDocument, UI_MIME_TYPE } from "@vitrine/protocol";

const uri = "ui://shop/cart.html";
const result = { contents: [{ uri, mimeType: UI_MIME_TYPE, text: "<!doctype html><p>Cart" }] };
const document = readUiDocument(result, uri, { maxBytes: 5_000_000 });
console.log(document.ok ? document.html : `The view cannot be shown: ${document.message}`);
