// Starts the server on stdio, or on HTTP with `node server.js --http 3001`.
import { serve } from "@vitrine/server";
import { app } from "./app.js";

await serve(app);
