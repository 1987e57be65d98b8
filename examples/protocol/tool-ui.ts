import { readToolUi } from "@vitrine/protocol";

const ui = { resourceUri: "ui://shop/cart.html", visibility: ["app"] };
const { resourceUri, visibility, problems } = readToolUi({ name: "refresh", _meta: { ui } });
console.log(resourceUri, visibility, problems); // ui://shop/cart.html [ 'app' ] []
