/**
 * Uses the operating system's keyring through its command-line program. Without a shell, and without secrets
 * in arguments, which every user of the machine can see.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { GatewayError } from "@vitrine/wire";

/** Stores short texts by name. */
export interface Keyring {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}

interface Ran {
  code: number | null;
  out: string;
  err: string;
}

/** Milliseconds: long enough for a user to unlock the keyring. */
const UNLOCK_TIMEOUT = 60_000;

function run(program: string, args: readonly string[], input = ""): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "pipe", shell: false });
    // Node's own `timeout` keeps running if the program does not exist, and keeps the process alive.
    const timer = setTimeout(() => child.kill("SIGKILL"), UNLOCK_TIMEOUT);
    const ran: Ran = { code: null, out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (ran.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (ran.err += text));
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ ...ran, code });
    });
    // A program that exits without reading explains it by its exit code.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

const failed = (what: string, { code, err }: Ran) =>
  new GatewayError(
    "config-invalid",
    `${what}: exit code ${code}: ${err.trim().slice(0, 500) || "no message"}`,
  );

/** libsecret: GNOME, KDE, and others. */
export function secretTool(program = "secret-tool"): Keyring {
  const attributes = (name: string) => ["application", "vitrine", "name", name];
  return {
    async get(name) {
      const ran = await run(program, ["lookup", ...attributes(name)]);
      // It exits with 1 and prints nothing if the secret does not exist; it prints an error if there is no
      // keyring.
      if (ran.code === 1 && !ran.err.trim()) return undefined;
      if (ran.code !== 0) throw failed("secret-tool lookup", ran);
      return ran.out;
    },
    async set(name, value) {
      const ran = await run(program, ["store", `--label=Vitrine ${name}`, ...attributes(name)], value);
      if (ran.code !== 0) throw failed("secret-tool store", ran);
    },
    async delete(name) {
      const ran = await run(program, ["clear", ...attributes(name)]);
      if (ran.code !== 0 && ran.err.trim()) throw failed("secret-tool clear", ran);
    },
  };
}

/** The keychain of macOS. Its program reads commands from stdin, one per line. */
export function keychain(program = "security"): Keyring {
  const item = (name: string) => ["-s", "vitrine", "-a", name.replace(/[^\w.-]/g, "_")];
  const missing = ({ code, err }: Ran) => code === 44 || /could not be found/.test(err);
  return {
    async get(name) {
      const ran = await run(program, ["find-generic-password", ...item(name), "-w"]);
      if (missing(ran)) return undefined;
      if (ran.code !== 0) throw failed("security find-generic-password", ran);
      return ran.out.trim();
    },
    async set(name, value) {
      const hex = Buffer.from(value).toString("hex");
      const command = `add-generic-password -U ${item(name).join(" ")} -X ${hex}\n`;
      const ran = await run(program, ["-i"], command);
      if (ran.code !== 0) throw failed("security add-generic-password", ran);
    },
    async delete(name) {
      const ran = await run(program, ["delete-generic-password", ...item(name)]);
      if (ran.code !== 0 && !missing(ran)) throw failed("security delete-generic-password", ran);
    },
  };
}

/**
 * Whether a stored value can be read back. An installed keyring may still be locked, or have no session bus.
 */
export async function works(keyring: Keyring): Promise<boolean> {
  const name = `probe ${randomBytes(6).toString("hex")}`;
  const value = randomBytes(16).toString("base64url");
  try {
    await keyring.set(name, value);
    const isSame = (await keyring.get(name)) === value;
    await keyring.delete(name);
    return isSame && (await keyring.get(name)) === undefined;
  } catch {
    // The reason does not matter: the key is stored in a file instead, and `onkey` reports that.
    return false;
  }
}

/** The keyring of this machine, if it works. */
export async function osKeyring(): Promise<Keyring | undefined> {
  const keyring = process.platform === "darwin" ? keychain() : secretTool();
  return process.platform !== "win32" && (await works(keyring)) ? keyring : undefined;
}
