/**
 * Real authorization servers in processes of their own, and a user who signs in at them.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port.ts";

const OIDC = fileURLToPath(new URL("./oidc-server.mjs", import.meta.url));
const EXAMPLE = fileURLToPath(
  new URL(
    "../../node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js",
    import.meta.url,
  ),
);

/** Parts of {@link OidcServers} to break; see `oidc-server.mjs`. */
export type OidcFaults = Readonly<Record<string, unknown>>;

/** An `oidc-provider`, an identity provider, and an MCP server that trusts the former. */
export interface OidcServers {
  readonly mcp: string;
  readonly issuer: string;
  readonly identity: string;
  /** Breaks these parts, and mends all others. */
  break(faults: OidcFaults): Promise<void>;
  close(): Promise<void>;
}

export async function startOidcServers(
  options: { redirectUri?: string; tokenSeconds?: number } = {},
): Promise<OidcServers> {
  const child = spawn(process.execPath, [OIDC, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const line = await firstLine(child, /^\{/);
  const places = JSON.parse(line) as Pick<OidcServers, "mcp" | "issuer" | "identity">;
  return {
    ...places,
    async break(faults) {
      await fetch(new URL("/faults", places.mcp), { method: "POST", body: JSON.stringify(faults) });
    },
    close: () => ended(child),
  };
}

/** The official SDK's example: an MCP server with a separate authorization server. */
export async function startSdkExample(): Promise<{ mcp: string; issuer: string; close(): Promise<void> }> {
  const [port, authPort] = [await freePort(), await freePort()];
  const env = { ...process.env, MCP_PORT: `${port}`, MCP_AUTH_PORT: `${authPort}` };
  const child = spawn(process.execPath, [EXAMPLE, "--oauth", "--oauth-strict"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  await firstLine(child, /MCP Streamable HTTP Server listening/);
  return {
    mcp: `http://localhost:${port}/mcp`,
    issuer: `http://localhost:${authPort}/`,
    close: () => ended(child),
  };
}

function firstLine(child: ChildProcess, wanted: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const take = (chunk: Buffer): void => {
      text += chunk;
      const found = text.split("\n").find((line) => wanted.test(line));
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
    child.once("exit", () => reject(new Error(`the server has ended: ${text}`)));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const end = new Promise((resolve) => child.once("exit", resolve));
  child.kill();
  await end;
}

/**
 * Signs a user in at an `oidc-provider` without a browser: follows redirects with cookies, and submits its forms.
 * Returns the address that leads back.
 */
export async function signInAt(authorizeUrl: string, redirectUri: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let [url, init]: [URL, RequestInit] = [new URL(authorizeUrl), {}];
  for (let hops = 0; hops < 20; hops++) {
    const headers = { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
    const response = await fetch(url, {
      ...init,
      headers: { ...headers, ...init.headers },
      redirect: "manual",
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const text = await response.text();
    if (location !== null) {
      const next = new URL(location, url);
      if (next.href.startsWith(redirectUri)) return next;
      [url, init] = [next, {}];
      continue;
    }
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
    const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1];
    if (!prompt || !action)
      throw new Error(`no form at ${url.href}: ${response.status} ${text.slice(0, 300)}`);
    const body = new URLSearchParams({
      prompt,
      ...(prompt === "login" && { login: "ana", password: "any" }),
    });
    [url, init] = [new URL(action, url), { method: "POST", body }];
  }
  throw new Error("too many redirects");
}
