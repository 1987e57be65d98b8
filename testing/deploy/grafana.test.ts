/** The dashboard: every metric and label that it queries is in the gateway's output, and every metric of the gateway is on it. */
import { readFileSync } from "node:fs";
import { recordOf } from "@vitrine/protocol";
import { describe, expect, it } from "vitest";
import { Metrics } from "../../packages/gateway/src/http/metrics.js";
import { gatewayMetrics } from "../../packages/gateway/src/http/metrics-gateway.js";

const text = readFileSync(new URL("../../deploy/grafana/vitrine.json", import.meta.url), "utf8");
const dashboard = recordOf(JSON.parse(text));
const list = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.map(recordOf) : [];

/** The series of the gateway's own output, and the labels of each. */
function series(): Map<string, Set<string>> {
  const metrics = new Metrics();
  for (const metric of Object.values(gatewayMetrics(metrics))) {
    const labels = new Proxy<Record<string, string>>({}, { get: (_, name) => String(name) });
    if ("observe" in metric) metric.observe(labels, 1);
    else metric.add(labels, 1);
  }
  const found = new Map<string, Set<string>>();
  for (const [, name = "", labels = ""] of metrics.text().matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label);
    found.set(name, new Set([...(found.get(name) ?? []), ...names]));
  }
  return found;
}

/** Labels that Prometheus adds, and its own metric. */
const OF_PROMETHEUS = ["job", "instance"];
const KNOWN = series().set("up", new Set());

/** The mistakes of a query: metrics and labels that the gateway does not have. */
function mistakes(expression: string): string[] {
  const found: string[] = [];
  const metrics = [...expression.matchAll(/\b([a-z_]\w*)\{([^}]*)\}/g)];
  const labels = new Set<string>();
  for (const [, name = "", selector = ""] of metrics) {
    const known = KNOWN.get(name);
    if (!known) found.push(name);
    for (const label of [...(known ?? []), ...OF_PROMETHEUS]) labels.add(label);
    for (const [, label = ""] of selector.matchAll(/(\w+)\s*(?:=~|!=|=)/g)) {
      if (known && !known.has(label) && !OF_PROMETHEUS.includes(label)) found.push(`${name}: ${label}`);
    }
  }
  if (metrics.length === 0) found.push(`no metric in ${expression}`);
  for (const [, names = ""] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of names.split(/, */)) if (!labels.has(label)) found.push(`by ${label}`);
  }
  return found;
}

const panels = list(dashboard["panels"]);
const queries = panels.flatMap((panel) => list(panel["targets"]).map((target) => `${target["expr"]}`));

describe("the dashboard", () => {
  it("queries only metrics and labels that the gateway has", () => {
    expect(queries.length).toBeGreaterThan(15);
    expect(queries.flatMap(mistakes)).toEqual([]);
  });

  it.each([
    ["a metric", 'sum(vitrine_session{job=~"$job"})', ["vitrine_session"]],
    ["the sum of a counter", "rate(vitrine_calls_sum{}[5m])", ["vitrine_calls_sum"]],
    ["a label", 'vitrine_calls_total{tool="x"}', ["vitrine_calls_total: tool"]],
    ["a group", 'sum by (route) (vitrine_calls_total{job="x"})', ["by route"]],
  ])("a query of %s that does not exist is found", (_, query, found) => {
    expect(mistakes(query)).toEqual(found);
  });

  it("shows every metric of the gateway", () => {
    const families = new Set([...series().keys()].map((name) => name.replace(/_(bucket|sum|count)$/, "")));
    expect(families.size).toBeGreaterThan(12);
    expect([...families].filter((name) => !queries.some((query) => query.includes(name)))).toEqual([]);
  });

  it("has its data source and its nodes as variables, and panels that do not overlap", () => {
    const variables = list(recordOf(dashboard["templating"])["list"]).map(({ name }) => `${name}`);
    expect(variables).toEqual(["datasource", "job", "node"]);
    for (const [, name = ""] of text.matchAll(/\$\{?([a-z]\w*)/g)) expect(variables).toContain(name);
    const taken = new Set<string>();
    for (const { gridPos, title } of panels) {
      const { x, y, w, h } = recordOf(gridPos);
      for (let column = Number(x); column < Number(x) + Number(w); column++) {
        for (let row = Number(y); row < Number(y) + Number(h); row++) {
          expect(taken.has(`${column} ${row}`), `${title}`).toBe(false);
          taken.add(`${column} ${row}`);
        }
      }
      expect(Number(x) + Number(w)).toBeLessThanOrEqual(24);
    }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});
