import { buildCsp } from "@vitrine/protocol";

const { policy, rejected } = buildCsp(
  { connectDomains: ["https://api.example.com", "https://x.example; script-src *"] },
  { frameAncestors: ["https://host.example"] },
);
console.log(policy); // Has "connect-src https://api.example.com" and no other connection.
console.log(rejected[0]?.field, rejected[0]?.code); // csp.connectDomains[1] separator
