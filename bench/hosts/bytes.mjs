/**
 * The number of bytes that a host adds to a page, without React.
 *
 * @module
 */
import { bytesOf, withEsbuild, withRollup } from "../contenders.mjs";
import { count, ratio, table, times } from "../statistics.mjs";
import { HOSTS } from "./site.mjs";

/** The imports that a page needs from each host to show an app. */
const ENTRIES = {
  ours: 'export * from "@vitrine/host/define";',
  official: 'export { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";',
  "mcp-ui": 'export { AppRenderer } from "@mcp-ui/client";',
};
const BUNDLERS = { esbuild: withEsbuild, rollup: withRollup };

/** Measures every host with both bundlers. */
export async function measureHostBytes() {
  const rows = [];
  for (const { id, side, label } of HOSTS) {
    const row = { id, side, label };
    for (const [name, bundle] of Object.entries(BUNDLERS))
      row[name] = bytesOf(await bundle(ENTRIES[id], ["react", "react-dom", "react/jsx-runtime"]));
    rows.push(row);
  }
  const [ours] = rows;
  const ratios = rows.slice(1).map((peer) => ({
    official: peer.id,
    esbuild: ratio(peer.esbuild.gzip, ours.esbuild.gzip),
    rollup: ratio(peer.rollup.gzip, ours.rollup.gzip),
  }));
  return { rows, ratios };
}

/** The result as text. */
export function showHostBytes({ rows, ratios }) {
  return table(
    ["host", "esbuild min", "gzip", "÷ours", "Rollup min", "gzip", "÷ours"],
    rows.map((row) => {
      const found = ratios.find(({ official }) => official === row.id);
      return [
        row.label,
        ...Object.keys(BUNDLERS).flatMap((bundler) => [
          count(row[bundler].min),
          count(row[bundler].gzip),
          found ? times(found[bundler]) : "",
        ]),
      ];
    }),
  );
}
