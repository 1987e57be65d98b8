/**
 * An npm registry on loopback. It serves Vitrine's packages as they would be published, and redirects every other request to
 * the registry that this machine uses.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packCheckout, readManifest } from "../../packages/cli/src/new/pack-checkout.ts";

const PACKAGES = fileURLToPath(new URL("../../packages", import.meta.url));
/** pnpm refuses versions that are younger than a day. */
const PUBLISHED = "2026-01-01T00:00:00.000Z";

/** A registry that is listening. */
export interface Registry {
  readonly url: string;
  close(): Promise<void>;
}

/** The packages of this repository as a registry has them: for each name its document, and for each path a tarball. */
interface Published {
  readonly documents: ReadonlyMap<string, (url: string) => unknown>;
  readonly tarballs: ReadonlyMap<string, Buffer>;
}

const NOTHING: Published = { documents: new Map(), tarballs: new Map() };

/**
 * Starts the registry.
 *
 * @param upstream the registry that has all other packages
 * @param isPublished whether Vitrine's packages are in it
 */
export async function serveRegistry(upstream: string, isPublished = true): Promise<Registry> {
  const { documents, tarballs } = isPublished ? await publish() : NOTHING;
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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, close };
}

/** Not kept in any cache: the same version has other files after the next build. */
const answer = (response: ServerResponse, type: string, body: string | Buffer): void =>
  void response.writeHead(200, { "content-type": type, "cache-control": "no-store" }).end(body);

async function publish(): Promise<Published> {
  const manifests = readdirSync(PACKAGES).flatMap((folder) => readManifest(join(PACKAGES, folder)) ?? []);
  const packed = await packCheckout(
    PACKAGES,
    manifests.map(({ name }) => name),
  );
  const documents = new Map<string, (url: string) => unknown>();
  const tarballs = new Map<string, Buffer>();
  for (const manifest of manifests) {
    const { name, version } = manifest;
    const { file, path } = packed.get(name) ?? { file: "", path: "" };
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
