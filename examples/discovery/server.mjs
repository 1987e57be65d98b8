// Everything that this server offers is in tools/ and ui/. `node server.mjs --watch` follows what is saved.
import { discover } from "@vitrine/server";

const found = await discover({
  root: new URL(".", import.meta.url),
  name: "discovery",
  version: "1.0.0",
  watch: process.argv.includes("--watch"),
});
await found.serve();
