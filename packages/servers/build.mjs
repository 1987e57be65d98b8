/** Bundles the package after `tsc`. */
import { fileURLToPath } from "node:url";
import { bundle } from "../../scripts/bundle.mjs";

await bundle(fileURLToPath(new URL(".", import.meta.url)), { entries: ["index", "support/index"] });
