/** The nginx configuration of the guide: nginx accepts it. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findNginx } from "../../scripts/proxies.mjs";

const nginx = findNginx();
if (!nginx)
  console.warn("no nginx: its tests are skipped; `node scripts/proxies.mjs` installs it where it can");

const guide = readFileSync(new URL("../../docs/gateway/reverse-proxy.md", import.meta.url), "utf8");
const [block = "", sign = ""] = [...guide.matchAll(/```nginx\n([\s\S]*?)```/g)].map(([, text]) => text);

describe.skipIf(!nginx)("nginx", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "vitrine-nginx-"));
    const subject = ["-subj", "/CN=localhost", "-keyout", join(folder, "key"), "-out", join(folder, "pem")];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject], {
      stdio: "ignore",
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Checks a configuration; returns what nginx says. */
  function check(text: string): { status: number | null; stderr: string } {
    const servers = text.replace(/\/etc\/ssl\/[\w.]+\.(pem|key)/g, (_, kind) => join(folder, `${kind}`));
    const file = join(folder, "nginx.conf");
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${folder};`,
    );
    writeFileSync(
      file,
      `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${places.join("\n")}\n${servers}\n}\n`,
    );
    return spawnSync(`${nginx}`, ["-t", "-q", "-c", file], { encoding: "utf8" });
  }

  it("accepts the guide's configuration, and refuses it with a mistake", () => {
    expect(block).toContain("proxy_pass http://127.0.0.1:8091");
    expect(check(block)).toMatchObject({ status: 0, stderr: "" });
    expect(check(block.replace("proxy_buffering", "proxy_bufering")).stderr).toContain("unknown directive");
  });

  it("accepts the guide's sign-in by the proxy", () => {
    const [map = "", header = ""] = sign.split("# In the gateway's location");
    expect(
      check(`${map}${block.replace("proxy_buffering off;", `${header.split("\n").at(1)}`)}`),
    ).toMatchObject({
      status: 0,
    });
  });
});
