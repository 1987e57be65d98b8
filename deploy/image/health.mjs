/**
 * The health check of the image: does the gateway answer? Exits with 0 or 1. The image has no curl.
 *
 * The answer to another `Host` than the gateway's own is 403 `host-forbidden`. It shows as well that the process
 * works, so this script need not know `listen.origin`. Whether a node takes work is a question for its load balancer, at /readyz.
 */
import { get } from "node:http";

const port = Number(process.env.VITRINE_HEALTH_PORT ?? 8090);
const TIMEOUT = 4000;

const request = get(
  { host: "127.0.0.1", port, path: "/healthz", timeout: TIMEOUT, agent: false },
  (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    response.on("end", () => {
      const isAlive = response.statusCode === 200 || text.includes('"host-forbidden"');
      end(isAlive ? 0 : 1, `${response.statusCode} ${text.slice(0, 200)}`);
    });
  },
);
request.on("error", (error) => end(1, error.message));
request.on("timeout", () => end(1, `no answer within ${TIMEOUT} ms`));

function end(code, message) {
  console.log(message);
  process.exit(code);
}
