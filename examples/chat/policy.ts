import { httpUpstream, standardGuard } from "@vitrine/guard";
import { askInFrame } from "@vitrine/host";

const { server, capabilities } = await (await fetch("/apps")).json();
const upstream = httpUpstream({ url: "/rpc", server, capabilities });
export const guard = standardGuard(upstream, {
  policy: {
    "tools/call:refresh": "allow",
    "ui/open-link:docs.example.com": "allow",
    "ui/download-file": "deny",
  },
  ask: askInFrame,
});
