// Starts the server: by stdio, or by HTTP with `node server.js --http 3001`.
import { found } from "./app.js";

await found.serve();
