/** Finds links between documents that lead nowhere. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { anchorOf } from "../../site/headings.mjs";

const CODE = /^[ \t]*```[\s\S]*?^[ \t]*```$|`[^`\n]*`/gm;

/** The relative links of a document whose file, or whose heading in that file, does not exist. */
export function brokenLinks(document: string): string[] {
  const text = readFileSync(document, "utf8").replace(CODE, "code");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? document : join(dirname(document), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && (statSync(target).isDirectory() || !anchorsOf(target).has(anchor));
  });
}

/** The anchors of all headings of a document. A repeated heading gets a number, as on GitHub. */
function anchorsOf(path: string): Set<string> {
  const text = readFileSync(path, "utf8").replace(/^[ \t]*```[\s\S]*?^[ \t]*```$/gm, "");
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const [, heading = ""] of text.matchAll(/^#+ (.+)$/gm)) {
    const anchor = anchorOf(heading);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}
