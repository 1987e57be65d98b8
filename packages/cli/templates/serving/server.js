// Starts the server: by stdio, or by HTTP with `node server.js --http 3001`.
import { serve } from "@vitrine/server";
import { app } from "./app.js";

await serve(app);
