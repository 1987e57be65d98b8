import type { RequestListener } from "node:http";
import { type FetchHandler, nodeListener } from "@vitrine/guard/node";
import express from "express";

/** Express 4 and 5. */
export function expressListener(rpc: FetchHandler): RequestListener {
  const app = express();
  app.use(express.json({ limit: "1mb" })); // A body that is parsed already is fine; so is one that is not.
  app.all("/rpc", nodeListener(rpc));
  return app;
}
