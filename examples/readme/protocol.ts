import { buildCsp, CheckedPeer, HOST_END, memoryPair, Peer } from "@vitrine/protocol";

// In a browser each end has a WindowTransport over postMessage. Here both ends are in memory.
const [viewEnd, hostEnd] = memoryPair();

// The host's end. A checked peer refuses params that are not of the protocol.
const host = new CheckedPeer(HOST_END);
host.handle("ui/open-link", ({ url }) => ({ isError: !url.startsWith("https://") }));
host.open(hostEnd);

// The view's end. Methods, params and results are typed.
const view = new Peer<"view">().open(viewEnd);
console.log(await view.request("ui/open-link", { url: "https://example.com" })); // { isError: false }
view.close();

// A Content-Security-Policy from the domains that a view declares.
const { rejected } = buildCsp({ connectDomains: ["https://api.example.com", "*; script-src *"] });
console.log(rejected[0]?.field); // csp.connectDomains[1]
