import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Keyring, keychain, secretTool, works } from "./keyring.js";
import { openSecretsExample } from "./secrets.examples.js";
import { openSecrets, type SecretsOptions } from "./secrets.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-secrets-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (more: Partial<SecretsOptions> = {}) =>
  openSecrets({ folder, env: {}, keyring: "none", ...more });
const path = (name = "secrets") => join(folder, name);
const modeOf = async (name: string) => ((await stat(path(name))).mode & 0o777).toString(8);

function memoryKeyring(): Keyring & { map: Map<string, string> } {
  const map = new Map<string, string>();
  return {
    map,
    get: async (name) => map.get(name),
    set: async (name, value) => void map.set(name, value),
    delete: async (name) => void map.delete(name),
  };
}

describe("openSecrets", () => {
  it("keeps secrets across a restart, readable by nobody else", async () => {
    const secrets = await open();
    expect(await secrets.get("a")).toBeUndefined();
    await secrets.set("a", "token of a");
    await secrets.set("b", "é\n😀");
    expect(await secrets.delete("a")).toBe(true);
    expect(await secrets.delete("a")).toBe(false);
    const again = await open();
    expect(await again.get("a")).toBeUndefined();
    expect(await again.get("b")).toBe("é\n😀");
    expect(await modeOf("secrets")).toBe("600");
    expect(await modeOf("secrets.key")).toBe("600");
    expect((await readdir(folder)).sort()).toEqual(["secrets", "secrets.key"]);
  });

  it("writes no plain text, and never the same bytes twice", async () => {
    const secrets = await open();
    const seen = new Set<string>();
    for (let count = 0; count < 20; count++) {
      // Texts that cannot occur by chance in random characters.
      await secrets.set("oauth-of/anastasia/mailbox", "plainly-secret");
      const text = await readFile(path(), "utf8");
      expect(text).not.toMatch(/plainly-secret|oauth-of|anastasia|mailbox/);
      seen.add(JSON.parse(text.split("\n")[1] ?? "").nonce);
    }
    expect(seen.size).toBe(20);
  });

  it("loses nothing in concurrent changes", async () => {
    const secrets = await open();
    await Promise.all(Array.from({ length: 50 }, (_, index) => secrets.set(`key ${index}`, `${index}`)));
    const again = await open();
    for (let index = 0; index < 50; index++) expect(await again.get(`key ${index}`)).toBe(`${index}`);
  });

  it("rejects a file that others can read, and says what to do", async () => {
    await (await open()).set("a", "b");
    await chmod(path(), 0o640);
    await expect(open()).rejects.toThrow(`can be read by others; run: chmod 600 ${path()}`);
    await chmod(path(), 0o600);
    await chmod(path("secrets.key"), 0o604);
    await expect(open()).rejects.toThrow("secrets.key: can be read by others");
  });

  it("rejects a symbolic link in place of the file", async () => {
    await (await open()).set("a", "b");
    const elsewhere = path("elsewhere");
    await writeFile(elsewhere, await readFile(path()), { mode: 0o600 });
    await rm(path());
    await symlink(elsewhere, path());
    await expect(open()).rejects.toThrow("is a symbolic link");
  });

  it.each([
    ["cut off", (text: string) => text.slice(0, text.length / 2)],
    ["empty", () => ""],
    ["of another program", () => "[settings]\nname = x\n"],
    [
      "changed in one letter",
      (text: string) => text.replace(/"data":"(.)/, (_, c) => `"data":"${c === "A" ? "B" : "A"}`),
    ],
    ["with another nonce", (text: string) => text.replace(/"nonce":"[^"]+/, `"nonce":"${"A".repeat(16)}`)],
  ])("rejects a file that is %s, and does not change it", async (_, damage) => {
    const secrets = await open();
    await secrets.set("a", "b");
    const damaged = damage(await readFile(path(), "utf8"));
    await writeFile(path(), damaged);
    await expect(open()).rejects.toThrow(/is damaged\. Restore a copy of it; or move it away/);
    await expect(secrets.set("c", "d")).rejects.toThrow("is damaged");
    await expect(secrets.get("a")).rejects.toThrow("is damaged");
    expect(await readFile(path(), "utf8")).toBe(damaged);
  });

  it("reports a lost key, and creates no new key for an existing file", async () => {
    await (await open()).set("a", "b");
    await rm(path("secrets.key"));
    await expect(open()).rejects.toThrow(/its key was not found .* Unlock the keyring or restore the key/);
    expect(await readdir(folder)).toEqual(["secrets"]);
    await writeFile(path("secrets.key"), "no key\n", { mode: 0o600 });
    await expect(open()).rejects.toThrow("secrets.key: is damaged");
  });

  it("accepts VITRINE_KEY in both notations, and stores it nowhere", async () => {
    const key = Buffer.alloc(32, 7);
    const env = { VITRINE_KEY: key.toString("hex") };
    const places: string[] = [];
    await (await open({ env, onkey: (place) => places.push(place) })).set("a", "b");
    expect(await readdir(folder)).toEqual(["secrets"]);
    expect(await (await open({ env: { VITRINE_KEY: key.toString("base64url") } })).get("a")).toBe("b");
    expect(places).toEqual(["environment"]);
    await expect(open({ env: { VITRINE_KEY: "short" } })).rejects.toThrow(
      "VITRINE_KEY: must be 32 random bytes",
    );
    const other = { VITRINE_KEY: Buffer.alloc(32, 8).toString("hex") };
    await expect(open({ env: other })).rejects.toThrow("was encrypted with another key than VITRINE_KEY");
    await expect(open()).rejects.toThrow("its key was not found");
  });

  it("stores its key in a keyring that works", async () => {
    const keyring = memoryKeyring();
    const places: string[] = [];
    await (await open({ keyring, onkey: (place) => places.push(place) })).set("a", "b");
    expect(keyring.map.size).toBe(1);
    expect(await readdir(folder)).toEqual(["secrets"]);
    expect(await (await open({ keyring })).get("a")).toBe("b");
    keyring.map.clear();
    await expect(open({ keyring })).rejects.toThrow("its key was not found");
    expect(places).toEqual(["keyring"]);
  });

  it("two processes that open an empty folder at once agree on a key", async () => {
    const [one, two] = await Promise.all([open(), open()]);
    await one.set("a", "1");
    expect(await two.get("a")).toBe("1");
  });

  it("the example works", async () => {
    expect(await openSecretsExample(folder)).toBe("s3cret");
  });
});

describe("keyrings", () => {
  /** A program that stores secrets in a file and logs its arguments. */
  async function fake(body: string): Promise<string> {
    const program = path("secret-tool");
    const head = `#!${process.execPath}\nconst fs = require("fs"), log = ${JSON.stringify(path("log"))};`;
    const note = `const [verb, ...args] = process.argv.slice(2); fs.appendFileSync(log, process.argv.slice(2).join("|") + "\\n");`;
    await writeFile(program, `${head}${note}${body}`, { mode: 0o700 });
    return program;
  }
  const KEEPS = `
    const file = ${"`"}\${log}.\${Buffer.from(args.slice(-1)[0]).toString("hex")}${"`"};
    if (verb === "store") fs.writeFileSync(file, fs.readFileSync(0));
    else if (!fs.existsSync(file)) process.exit(1);
    else if (verb === "lookup") process.stdout.write(fs.readFileSync(file));
    else fs.unlinkSync(file);`;

  it("passes a secret on stdin, and never as an argument", async () => {
    const keyring = secretTool(await fake(KEEPS));
    expect(await works(keyring)).toBe(true);
    await keyring.set("key 1", "$(id) `id` 'secret'");
    expect(await keyring.get("key 1")).toBe("$(id) `id` 'secret'");
    await keyring.delete("key 1");
    expect(await keyring.get("key 1")).toBeUndefined();
    const log = await readFile(path("log"), "utf8");
    expect(log).toContain("store|--label=Vitrine key 1|application|vitrine|name|key 1");
    expect(log).not.toContain("secret'");
  });

  it.each([
    ["has no session bus", `console.error("Cannot autolaunch D-Bus without X11 $DISPLAY"); process.exit(1);`],
    ["reports success and stores nothing", `process.exit(verb === "store" ? 0 : 1);`],
    ["returns a different secret", `if (verb === "lookup") process.stdout.write("x");`],
  ])("a keyring that %s does not work", async (_, body) => {
    expect(await works(secretTool(await fake(body)))).toBe(false);
  });

  it("the keychain of macOS also takes a secret from stdin", async () => {
    const program = await fake(`
      const { execPath } = process, path = (name) => log + "." + name;
      if (verb === "-i") {
        const [, name, hex] = /^add-generic-password -U -s vitrine -a ([\\w.-]+) -X ([0-9a-f]+)\\n$/.exec(fs.readFileSync(0, "utf8"));
        fs.writeFileSync(path(name), Buffer.from(hex, "hex"));
      } else if (!fs.existsSync(path(args[3]))) {
        console.error("The specified item could not be found in the keychain.");
        process.exit(44);
      } else if (verb === "find-generic-password") process.stdout.write(fs.readFileSync(path(args[3])) + "\\n");
      else fs.unlinkSync(path(args[3]));`);
    const keyring = keychain(program);
    expect(await works(keyring)).toBe(true);
    await keyring.set("key 1", "c2VjcmV0");
    expect(await keyring.get("key 1")).toBe("c2VjcmV0");
    expect(await readFile(path("log"), "utf8")).not.toMatch(/c2VjcmV0|633256/);
  });

  it("a missing keyring does not work", async () => {
    expect(await works(secretTool(path("missing")))).toBe(false);
  });

  it("passes on the program's error message", async () => {
    const keyring = secretTool(await fake(`console.error("the keyring is locked"); process.exit(1);`));
    await expect(keyring.get("key")).rejects.toThrow("the keyring is locked");
    await expect(keyring.set("key", "x")).rejects.toThrow("the keyring is locked");
    await expect(keyring.delete("key")).rejects.toThrow("the keyring is locked");
  });
});
