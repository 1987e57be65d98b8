import { diffHostContext, type HostContext } from "@vitrine/protocol";

const before: HostContext = { theme: "light", displayMode: "inline", locale: "en-GB" };
const after: HostContext = { theme: "dark", displayMode: "inline" };
console.log(diffHostContext(before, after)); // { theme: 'dark', locale: null }
