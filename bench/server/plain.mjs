/** The official SDK alone, over stdio. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { create } from "./plain-server.mjs";

serveStdio(create);
