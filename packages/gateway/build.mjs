/** After `tsc`: bundles the gateway with Kysely inside. No object of Kysely crosses the package's surface. */
import { fileURLToPath } from "node:url";
import { bundle } from "../../scripts/bundle.mjs";

await bundle(fileURLToPath(new URL(".", import.meta.url)), {
  entries: ["index", "main"],
  inside: ["kysely"],
});
