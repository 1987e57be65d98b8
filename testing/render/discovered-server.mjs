/** A server of the tools and views in a folder: `node discovered-server.mjs FOLDER`. */
import { discover } from "@vitrine/server/discovery";

const found = await discover({ root: process.argv[2], name: "found", version: "1.0.0" });
await found.serve();
