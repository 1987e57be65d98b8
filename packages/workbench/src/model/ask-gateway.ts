/**
 * Requests to the gateway's HTTP API, with the cookie of this browser.
 *
 * @module
 */

/**
 * Sends a request; returns the JSON of the answer.
 *
 * @throws {Error} with the gateway's message, and its trace in `data`
 */
export async function askGateway(
  path: string,
  method: "GET" | "DELETE" | "POST" = "GET",
  body?: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const answer = await fetch(path, {
    method,
    headers: { accept: "application/json", ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer.ok) return answer.json();
  const { error } = (await answer.json().catch(() => ({}))) as {
    error?: { message?: string; data?: { trace?: string } };
  };
  const message = error?.message ?? `the gateway answered with status ${answer.status}`;
  throw Object.assign(new Error(message), { data: error?.data });
}
