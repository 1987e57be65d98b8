/** Ours, over stdio. */
import { serve } from "@vitrine/server";
import { server } from "./ours-server.mjs";

await serve(server);
