// Starts the server on stdio, or on HTTP with `node server.js --http 3001`.
import { found } from "./app.js";

await found.serve();
