import { CheckedPeer, HOST_END, memoryPair, Peer } from "@vitrine/protocol";

const [viewEnd, hostEnd] = memoryPair();

const host = new CheckedPeer(HOST_END);
host.onreport = ({ code, message }) => console.log(`${code}: ${message}`);
host.handle("ui/open-link", ({ url }) => {
  // `url` is a string: the peer refused anything else, with -32602 and the name of the field.
  return { isError: !url.startsWith("https://") };
});
host.open(hostEnd);

const view = new Peer<"view">().open(viewEnd);
console.log(await view.request("ui/open-link", { url: "https://example.com" })); // { isError: false }
view.close();
