import { afterEach, describe, expect, it } from "vitest";
import { firstLine, misbehaving, newToken, processesWith } from "../../../../testing/gateway/launching.js";
import type { Launched, LaunchSpec } from "./isolation.js";
import { launch } from "./launch.js";

const running: Launched[] = [];
const start = async (spec: LaunchSpec) => {
  const launched = await launch(spec);
  running.push(launched);
  return launched;
};
const plain = (action: string, ...args: unknown[]) => misbehaving({ driver: "process" }, action, ...args);

afterEach(async () => {
  await Promise.all(running.splice(0).map((launched) => launched.stop(0)));
});

describe("the driver process", () => {
  it("passes lines in both directions, and reports how the server exited", async () => {
    const launched = await start({
      ...plain("behave"),
      command: "sh",
      args: ["-c", 'read x; echo "<$x>"; exit 3'],
    });
    launched.stdin.write("hello\n");
    launched.stdout.setEncoding("utf8");
    await expect(new Promise((resolve) => launched.stdout.once("data", resolve))).resolves.toBe("<hello>\n");
    await expect(launched.exited).resolves.toEqual({ code: 3, signal: null });
    expect(launched.driver).toBe("process");
  });

  it("passes the declared variables and a search path, and nothing else of the gateway's environment", async () => {
    process.env["OF_THE_GATEWAY"] = "secret";
    try {
      const launched = await start({ ...plain("environment"), env: { DECLARED: "yes" } });
      const environment = await firstLine(launched);
      expect(Object.keys(environment ?? {}).sort()).toEqual(["DECLARED", "PATH", "VITRINE_INSTANCE"]);
      expect(environment?.["DECLARED"]).toBe("yes");
    } finally {
      delete process.env["OF_THE_GATEWAY"];
    }
  });

  it("ends a server that exits when its stdin closes", async () => {
    const launched = await start(plain("behave"));
    await firstLine(launched);
    await launched.stop(60_000);
    await expect(launched.exited).resolves.toEqual({ code: 0, signal: null });
  });

  it("sends SIGTERM to a server that keeps running, and SIGKILL to one that ignores it", async () => {
    const polite = await start({ ...plain("behave"), command: "sleep", args: ["300"] });
    await polite.stop(50);
    await expect(polite.exited).resolves.toEqual({ code: null, signal: "SIGTERM" });

    const stubborn = await start(plain("stubborn"));
    const said: string[] = [];
    stubborn.stdout.setEncoding("utf8").on("data", (text: string) => said.push(text));
    await expect.poll(() => said.length).toBeGreaterThan(0);
    await Promise.all([stubborn.stop(500), stubborn.stop(500)]);
    await expect(stubborn.exited).resolves.toEqual({ code: null, signal: "SIGKILL" });
    expect(said.join("")).toContain('{"ignored":"SIGTERM"}');
  });

  it.runIf(process.platform === "linux")(
    "ends processes that the server left in another session",
    async () => {
      const token = newToken();
      const launched = await start(plain("daemonise", token));
      await firstLine(launched);
      expect(processesWith(`300.${token}`)).not.toEqual([]);
      await launched.stop();
      expect(processesWith(`300.${token}`)).toEqual([]);
    },
  );

  it.runIf(process.platform === "linux")("ends the remaining processes of a server that exited", async () => {
    const token = newToken();
    const args = ["-c", `setsid sleep 300.${token} >/dev/null 2>&1 </dev/null & read x`];
    const launched = await start({ ...plain("behave"), command: "sh", args });
    await expect.poll(() => processesWith(`sleep\u0000300.${token}`)).toHaveLength(1);
    launched.stdin.end("\n");
    await launched.exited;
    await expect.poll(() => processesWith(`300.${token}`)).toEqual([]);
  });

  it("reports a missing program or folder", async () => {
    await expect(launch({ ...plain("behave"), command: "no-such-program" })).rejects.toMatchObject({
      data: { code: "server-failed" },
      message: expect.stringContaining('no program "no-such-program"'),
    });
    await expect(launch({ ...plain("behave"), cwd: "/no/such/folder" })).rejects.toThrow("is not a folder");
  });

  it.runIf(process.platform === "linux")(
    "limits the memory of its processes together, and the processor time of each",
    async () => {
      const memory = (megabytes: number, action: string, ...args: number[]) =>
        start(misbehaving({ driver: "process", memory: megabytes * 2 ** 20 }, action, ...args));
      await expect(memory(1000, "hog", 200).then(firstLine)).resolves.toEqual({ taken: 200 });
      const over = { code: null, signal: "SIGKILL", outOfMemory: true };
      await expect((await memory(150, "hog", 250)).exited).resolves.toEqual(over);
      await expect((await memory(300, "hogTogether", 4, 100)).exited).resolves.toEqual(over);

      const spinning = await start(misbehaving({ driver: "process", cpuSeconds: 1 }, "spin"));
      await expect(spinning.exited).resolves.toEqual({ code: null, signal: "SIGKILL" });
    },
  );
});
