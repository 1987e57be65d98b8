/**
 * The table of all routes.
 *
 * @module
 */

import type { Route } from "./route.js";
import { RECORD_ROUTES } from "./routes-records.js";
import { SERVER_ROUTES } from "./routes-servers.js";
import { SERVICE_ROUTES } from "./routes-service.js";
import { SESSION_ROUTES } from "./routes-sessions.js";

/** The router, the OpenAPI document and the tests use this table. */
export const ROUTES: readonly Route[] = [
  ...SERVICE_ROUTES,
  ...SERVER_ROUTES,
  ...SESSION_ROUTES,
  ...RECORD_ROUTES,
];
