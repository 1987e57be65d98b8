// Starts the server: by stdio, or with `--http 3001` by HTTP.
import { serve } from "@vitrine/server";
import { app } from "./app.js";

await serve(app);
