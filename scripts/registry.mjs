/**
 * `npm run registry`: an npm registry on this machine with the packages of this checkout, so that everybody can install
 * them before they are published. It redirects requests for other packages to the registry that npm uses here.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packCheckout, readManifest } from "../packages/cli/dist/new/pack-checkout.js";

const PACKAGES = fileURLToPath(new URL("../packages", import.meta.url));
/** The port of `npm run registry`. */
const PORT = 4873;
/** pnpm refuses versions that are younger than a day. */
const PUBLISHED = "2026-01-01T00:00:00.000Z";

/** npm's settings on this machine. */
export function npmSettings() {
  return JSON.parse(
    execFileSync("npm", ["config", "list", "--long", "--json"], {
      encoding: "utf8",
      shell: process.platform === "win32",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  );
}

/**
 * Starts the registry.
 *
 * @param {string} upstream the registry that has all other packages
 * @param {{ isPublished?: boolean, port?: number }} [options] whether the registry has Vitrine's packages, and its port
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function serveRegistry(upstream, { isPublished = true, port = 0 } = {}) {
  const { documents, tarballs } = isPublished
    ? await publish()
    : { documents: new Map(), tarballs: new Map() };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1);
    const document = documents.get(path);
    const tarball = tarballs.get(path);
    if (document) answer(response, "application/json", JSON.stringify(document(url)));
    else if (tarball) answer(response, "application/octet-stream", tarball);
    // A name of ours that is not published must not come from elsewhere.
    else if (/^(@vitrine\/|vitrine(\/|$))/.test(path)) response.writeHead(404).end("{}");
    else response.writeHead(302, { location: `${upstream.replace(/\/$/, "")}${request.url}` }).end();
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${server.address().port}/`;
  const close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, close };
}

/** No cache may keep it: the same version has other files after the next build. */
const answer = (response, type, body) =>
  void response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(body);

/** The packages as a registry has them: for each name its document, and for each path a tarball. */
async function publish() {
  const manifests = readdirSync(PACKAGES).flatMap((folder) => readManifest(join(PACKAGES, folder)) ?? []);
  const packed = await packCheckout(
    PACKAGES,
    manifests.map(({ name }) => name),
  );
  const documents = new Map();
  const tarballs = new Map();
  for (const manifest of manifests) {
    const { name, version } = manifest;
    const { file, path } = packed.get(name);
    const bytes = readFileSync(path);
    const tarball = `${name}/-/${file}`;
    const integrity = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
    tarballs.set(tarball, bytes);
    documents.set(name, (url) => ({
      name,
      "dist-tags": { latest: version },
      versions: { [version]: { ...manifest, dist: { tarball: `${url}${tarball}`, integrity } } },
      time: { created: PUBLISHED, modified: PUBLISHED, [version]: PUBLISHED },
    }));
  }
  return { documents, tarballs };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.argv[2] ?? PORT);
  try {
    const { url } = await serveRegistry(npmSettings().registry, { port });
    console.log(`Vitrine's packages → ${url}  (Ctrl-C ends it)

In the shell where you install them:
  export npm_config_registry=${url}`);
  } catch (error) {
    if (error.code !== "EADDRINUSE") throw error;
    console.error(`Port ${port} is in use. Choose another: npm run registry -- 4874`);
    process.exitCode = 1;
  }
}
