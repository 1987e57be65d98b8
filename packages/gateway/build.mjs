/** Bundles the gateway with Kysely after `tsc`. The package's API exposes no Kysely object. */
import { fileURLToPath } from "node:url";
import { bundle } from "../../scripts/bundle.mjs";

await bundle(fileURLToPath(new URL(".", import.meta.url)), {
  entries: ["index", "main"],
  inside: ["kysely"],
});
