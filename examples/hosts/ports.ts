import { serveSandbox } from "@vitrine/sandbox/node";

export const { sandbox } = await serveSandbox({
  secret: process.env.SANDBOX_SECRET ?? "",
  hosts: ["http://192.168.1.5:8090"],
  address: "192.168.1.5",
  origin: "http://192.168.1.5:{port}",
  portPerApp: [20_000, 20_999],
});
