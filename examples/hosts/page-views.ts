import { serveSandbox } from "@vitrine/sandbox/node";

export const { sandbox } = await serveSandbox({
  secret: process.env.SANDBOX_SECRET ?? "",
  hosts: ["https://chat.example"],
  origin: "https://{role}-{label}.apps.example.com",
  pageViews: true,
});
