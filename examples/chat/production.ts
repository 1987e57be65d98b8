import { serveSandbox } from "@vitrine/sandbox/node";

export const { sandbox } = await serveSandbox({
  secret: Buffer.from(process.env.SANDBOX_SECRET ?? "", "base64"),
  hosts: ["https://chat.example"],
  origin: "https://{role}-{label}.apps.example.com",
  port: 8090,
});
