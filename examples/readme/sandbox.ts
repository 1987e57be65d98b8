import { randomBytes } from "node:crypto";
import { serveSandbox } from "@vitrine/sandbox/node";

// 32 random bytes that stay the same: the origins of apps are derived from them.
const secret = randomBytes(32);
const { sandbox, close } = await serveSandbox({ secret, port: 0, hosts: ["http://localhost:8090"] });

const view = await sandbox.register({
  server: "weather",
  html: "<!doctype html><h1>Sunny</h1>",
  meta: { csp: { connectDomains: ["https://api.weather.example"] } },
});
// `view.src` goes into an <iframe> of the page at localhost:8090. Each server gets an origin of its own.
console.log(new URL(view.src).hostname.endsWith(".localhost")); // true
console.log(view.policy.includes("connect-src https://api.weather.example")); // true

await close();
