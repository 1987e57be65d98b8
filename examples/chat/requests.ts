import { randomBytes } from "node:crypto";

/** Stands in for your sign-in: users by the secret in their cookie. */
const sessions = new Map<string, string>();

/** Signs a user in, and returns the cookie. */
export function signIn(user: string): string {
  const session = randomBytes(32).toString("base64url");
  sessions.set(session, user);
  // No script can read it, and no other site can send it. Add `Secure` where the page has https.
  return `chat-session=${session}; HttpOnly; SameSite=Strict; Path=/`;
}

/** The user who sent a request. */
export function userOf(request: Request): string | undefined {
  const [, session = ""] = /(?:^|; )chat-session=([\w-]+)/.exec(request.headers.get("cookie") ?? "") ?? [];
  return sessions.get(session);
}

/** The answer to a request that no page of this chat would send. */
export function refuse(request: Request, origin: string): Response | undefined {
  // Another name of this machine: DNS rebinding.
  if (request.headers.get("host") !== new URL(origin).host)
    return new Response("Wrong host", { status: 421 });
  if (request.method === "GET") return undefined;
  // A page of another site, in the browser of a user who is signed in here.
  if (request.headers.get("origin") !== origin) return new Response("Wrong origin", { status: 403 });
  // That page can send any other type without asking first.
  const isJson = /^application\/json\b/i.test(request.headers.get("content-type") ?? "");
  return isJson ? undefined : new Response("Send application/json", { status: 415 });
}
