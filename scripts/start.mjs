/**
 * `npm start`: builds what has changed, and starts the command `vitrine` in this process. A shell with two
 * commands would not forward a signal to the second: npm would end, and the servers would not.
 */
import "./build.mjs";

await import("../packages/cli/dist/main.js");
