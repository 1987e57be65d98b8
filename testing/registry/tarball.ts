/** Reads what `npm pack` writes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { packCheckout, readManifest } from "../../packages/cli/src/new/pack-checkout.ts";

export const PACKAGES: string = fileURLToPath(new URL("../../packages", import.meta.url));

/** A package of this repository, packed. */
export interface Packed {
  readonly name: string;
  /** Its folder in `packages`. */
  readonly folder: string;
  readonly tarball: Buffer;
  /** Texts by path, from the package's folder. */
  readonly files: ReadonlyMap<string, string>;
}

/** Packs every package of this repository. */
export async function packedPackages(): Promise<Packed[]> {
  const names = new Map<string, string>();
  for (const folder of readdirSync(PACKAGES)) {
    const manifest = readManifest(join(PACKAGES, folder));
    if (manifest) names.set(manifest.name, folder);
  }
  const packed = await packCheckout(PACKAGES, [...names.keys()]);
  return [...packed].map(([name, { path }]) => {
    const tarball = readFileSync(path);
    return { name, folder: names.get(name) ?? "", tarball, files: filesIn(tarball) };
  });
}

const BLOCK = 512;

/** The files of a tarball, without the folder `package` that they are in. */
export function filesIn(tarball: Buffer): Map<string, string> {
  const bytes = gunzipSync(tarball);
  const files = new Map<string, string>();
  const textAt = (start: number, length: number): string =>
    bytes.toString("utf8", start, start + length).replace(/\0.*$/s, "");
  let longName: string | undefined;
  for (let at = 0; at < bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(textAt(at + 124, 12), 8);
    const type = textAt(at + 156, 1);
    const content = bytes.toString("utf8", at + BLOCK, at + BLOCK + size);
    const prefix = textAt(at + 345, 155);
    const name = longName ?? `${prefix && `${prefix}/`}${textAt(at, 100)}`;
    // An extended header says the next file's name, if it is long.
    longName = type === "x" ? /^\d+ path=(.*)$/m.exec(content)?.[1] : undefined;
    if (type === "0" || type === "") files.set(name.replace(/^package\//, ""), content);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
