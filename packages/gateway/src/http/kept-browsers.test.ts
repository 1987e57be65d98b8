/** A restart of the gateway signs nobody out. */
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Authentication } from "./auth.js";
import { KeptBrowsers } from "./kept-browsers.js";

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-browsers-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a gateway. */
async function start(folder: string, now?: () => number, users?: { name: string; tokenHash: string }[]) {
  const errors: unknown[] = [];
  const kept = await KeptBrowsers.open(folder, (error) => errors.push(error));
  // Before the folder is removed, because it may still be written.
  onTestFinished(() => kept.close());
  const onbrowsers = kept.save.bind(kept);
  const auth = new Authentication({ browsers: kept.browsers, onbrowsers, now, users });
  const userOf = (value: string) => auth.browserOf(`vitrine=${value}`, "vitrine")?.caller.user;
  return { kept, auth, userOf, errors };
}

it("a signed-in browser stays signed in; the file contains no cookie, and is private", async () => {
  const folder = await makeFolder();
  const first = await start(folder);
  const value = first.auth.signIn(first.auth.link("local"), "::1");
  const other = first.auth.signIn(first.auth.link("local"), "::1");
  await first.kept.close();
  const file = join(folder, "browsers.json");
  const text = await readFile(file, "utf8");
  expect(text).not.toContain(value);
  expect((await stat(file)).mode & 0o077).toBe(0);

  const second = await start(folder);
  expect([second.userOf(value), second.userOf(other)]).toEqual(["local", "local"]);
  // The file's contents cannot be used to sign in.
  for (const { browser } of JSON.parse(text)) expect(second.userOf(browser)).toBeUndefined();
  const { browser } = second.auth.browserOf(`vitrine=${value}`, "vitrine") ?? {};
  second.auth.signOut(browser ?? "");
  await second.kept.close();

  const third = await start(folder);
  expect([third.userOf(value), third.userOf(other)]).toEqual([undefined, "local"]);
  expect([...first.errors, ...second.errors]).toEqual([]);
});

it("time passes while the gateway is stopped: use is stored periodically, and expired browsers are signed out", async () => {
  const folder = await makeFolder();
  const HOUR = 3_600_000;
  let now = 0;
  const first = await start(folder, () => now);
  const value = first.auth.signIn(first.auth.link("local"), "::1");
  now = 11 * HOUR;
  expect(first.userOf(value)).toBe("local");
  await first.kept.close();
  now = 22 * HOUR;
  const second = await start(folder, () => now);
  expect(second.userOf(value)).toBe("local");
  await second.kept.close();
  now = 35 * HOUR;
  expect((await start(folder, () => now)).userOf(value)).toBeUndefined();
});

it("a removed user is rejected", async () => {
  const folder = await makeFolder();
  const user = (name: string) => ({ name, tokenHash: "0".repeat(64) });
  const first = await start(folder, undefined, [user("ann"), user("bob")]);
  const [ann, bob] = ["ann", "bob"].map((name) => first.auth.signIn(first.auth.link(name), "::1"));
  await first.kept.close();
  const { userOf } = await start(folder, undefined, [user("bob")]);
  expect([userOf(`${ann}`), userOf(`${bob}`)]).toEqual([undefined, "bob"]);
});

it("a token that changed while the gateway was stopped signs nobody in, and neither does one that replaces a generated one", async () => {
  const folder = await makeFolder();
  const users = (digit: string) => [{ name: "local", tokenHash: digit.repeat(64) }];
  const lives = [undefined, users("0"), users("0"), users("1"), undefined];
  const values: string[] = [];
  const known: boolean[][] = [];
  for (const life of lives) {
    const { auth, kept, userOf } = await start(folder, undefined, life);
    known.push(values.map((value) => userOf(value) === "local"));
    values.push(auth.signIn(auth.link("local"), "::1"));
    await kept.close();
  }
  expect(known).toEqual([[], [false], [false, true], [false, false, false], [false, false, false, false]]);
  const text = await readFile(join(folder, "browsers.json"), "utf8");
  for (const digit of ["0", "1"]) expect(text).not.toContain(digit.repeat(64));
});

it("a broken file signs nobody in, and does not prevent the start", async () => {
  const folder = await makeFolder();
  for (const text of ["{", "{}", '[{"browser":"x"}, null, 7]']) {
    await writeFile(join(folder, "browsers.json"), text, { mode: 0o600 });
    expect((await start(folder)).kept.browsers).toEqual([]);
  }
});

it("a failing disk is reported, and costs a sign-in", async () => {
  const folder = await makeFolder();
  const { auth, kept, userOf, errors } = await start(folder);
  await rm(folder, { recursive: true });
  await writeFile(folder, "");
  expect(userOf(auth.signIn(auth.link("local"), "::1"))).toBe("local");
  await kept.close();
  expect(errors).toHaveLength(1);
});
