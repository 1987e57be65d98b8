import { expect, it } from "vitest";
import { SignInMask } from "./sign-in-mask.js";
import { claimsOf } from "./token-claims.js";

const JWT = `eyJhbGciOiJSUzI1NiJ9.${Buffer.from('{"iss":"https://as.example","sub":"ana@example.com","aud":["https://mcp.example"],"exp":2000}').toString("base64url")}.c2lnbmF0dXJl`;

it.each([
  ["code", "short"],
  ["state", "12345"],
  ["code_verifier", "verifier"],
  ["access_token", "opaque"],
  ["refresh_token", "opaque"],
  ["id_token", "opaque"],
  ["client_secret", "hunter2"],
  ["assertion", "opaque"],
  ["client_assertion", "opaque"],
  ["subject_token", "opaque"],
  ["actor_token", "opaque"],
  ["registration_access_token", "opaque"],
  ["token", "opaque"],
  ["password", "hunter2"],
  ["device_code", "opaque"],
  ["user_code", "ABCD-EFGH"],
  ["api_key", "opaque"],
  ["accessToken", "opaque"],
  ["nonce", "n-0S6"],
])("masks %s in forms, JSON, addresses and fragments", (name, secret) => {
  const form = new SignInMask().body(`grant_type=x&${name}=${secret}`, "application/x-www-form-urlencoded");
  expect(JSON.parse(form?.text ?? "")).toEqual({ grant_type: "x", [name]: "[masked]" });
  const json = new SignInMask().body(JSON.stringify({ deep: [{ [name]: secret }] }), "application/json");
  expect(json?.text).toBe(JSON.stringify({ deep: [{ [name]: "[masked]" }] }));
  for (const mark of ["?", "#"])
    expect(new SignInMask().url(`https://as.example/x${mark}a=1&${name}=${secret}`)).toBe(
      `https://as.example/x${mark}a=1&${name}=[masked]`,
    );
});

it.each([
  ["token_endpoint", "https://as.example/token"],
  ["token_type", "Bearer"],
  ["subject_token_type", "urn:ietf:params:oauth:token-type:id_token"],
  ["code_challenge", "0VV8piWpP4EkiogrQ-uRQeEf7ouUNmSDnzXX58I6uj4"],
  ["client_id", "gwvINizZXlrqTsHDsk7rGU4GDbBWNt88TTmMPf_RC8Y"],
  ["scope", "mcp:tools offline_access"],
  ["token_endpoint_auth_methods_supported", "client_secret_basic"],
])("shows %s, which explains a sign-in", (name, value) => {
  expect(new SignInMask().json({ [name]: value })).toBe(JSON.stringify({ [name]: value }));
});

it("masks a secret wherever it is repeated, before and after the field that names it", () => {
  const mask = new SignInMask();
  expect(mask.json({ error_description: "code AbC/d+9 is used", code: "AbC/d+9" })).toBe(
    '{"error_description":"code [masked] is used","code":"[masked]"}',
  );
  expect(mask.text("at /x?c=AbC%2Fd%2B9 and AbC/d+9")).toBe("at /x?c=[masked] and [masked]");
});

it("masks tokens in texts by their form", () => {
  const mask = new SignInMask();
  expect(mask.text(`bad token ${JWT}!`)).toBe("bad token [masked]!");
  expect(mask.text("sent Bearer 0123456789abcdef")).toBe("sent Bearer [masked]");
  expect(mask.json({ whatever: "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4MTIz" })).toBe('{"whatever":"[masked]"}');
});

it("shows known headers only, and the scheme of credentials", () => {
  const mask = new SignInMask();
  const headers = new Headers({
    authorization: "Basic a25vd246c2VjcmV0",
    cookie: "session=1234",
    "x-api-key": "for the server",
    "mcp-session-id": "0b1c",
    "content-type": "application/json",
    location: "https://as.example/cb?code=0815&x=1",
    "www-authenticate": 'Bearer resource_metadata="https://mcp.example/.well-known/x", scope="read"',
  });
  headers.append("set-cookie", "session=5678; HttpOnly");
  expect(Object.fromEntries(mask.headers(headers))).toEqual({
    authorization: "Basic [masked]",
    cookie: "[masked]",
    "x-api-key": "[masked]",
    "mcp-session-id": "[masked]",
    "content-type": "application/json",
    location: "https://as.example/cb?code=[masked]&x=1",
    "set-cookie": "[masked]",
    "www-authenticate": 'Bearer resource_metadata="https://mcp.example/.well-known/x", scope="read"',
  });
  expect(mask.text("the header was a25vd246c2VjcmV0")).toBe("the header was [masked]");
});

it("shows no page, no keys, and no user name in an address", () => {
  const mask = new SignInMask();
  expect(mask.body('<form><input value="csrf"></form>', "text/html; charset=utf-8")).toEqual({
    kind: "hidden",
    text: "text/html, 33 characters",
  });
  expect(mask.json({ jwks: { keys: [{ kty: "oct", k: "c2VjcmV0" }] } })).toBe('{"jwks":"[masked]"}');
  expect(mask.url("https://ana:hunter2@as.example/x")).toBe("https://as.example/x");
});

it("bounds what it keeps, and cuts no secret in two", () => {
  const mask = new SignInMask();
  const secret = `${"s".repeat(3_999)}1`;
  mask.learn(secret);
  const long = mask.text(`${"x ".repeat(999)}${secret}`);
  expect(long).not.toContain("sss");
  expect(long.length).toBeLessThan(2_100);
  const big = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`key${index}`, "y z ".repeat(500)]),
  );
  expect(mask.json(big).length).toBeLessThan(17_000);
  expect(mask.json(Array.from({ length: 1e5 }, () => 1)).length).toBeLessThan(1_000);
});

it("reads the claims of a token that explain a refusal, and none about the user", () => {
  const mask = new SignInMask();
  expect(claimsOf(JWT, mask)).toEqual({ iss: "https://as.example", aud: ["https://mcp.example"], exp: 2000 });
  for (const other of ["opaque", "a.b.c", "", undefined, `${JWT}.x`, "x".repeat(40_000)])
    expect(claimsOf(other, mask)).toBeUndefined();
});
