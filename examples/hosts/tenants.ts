import type { ViewRegistration } from "@vitrine/sandbox";
import { serveSandbox } from "@vitrine/sandbox/node";

const tenants = new Set(["https://chat.one.example", "https://assistant.two.example"]);

const { sandbox } = await serveSandbox({
  secret: process.env.SANDBOX_SECRET ?? "",
  hosts: (origin) => tenants.has(origin), // Or look it up in your database: it may return a promise.
});

/** Registers a view for the page that requested it. */
export const viewFor = (request: Request, view: ViewRegistration) =>
  sandbox.register({ ...view, host: request.headers.get("origin") ?? "" });
