import { describe, expect, it } from "vitest";
import * as examples from "./http.examples.js";
import { Metrics } from "./metrics.js";
import { gatewayMetrics } from "./metrics-gateway.js";

describe("Metrics", () => {
  it("writes counters, gauges and histograms in the format of Prometheus", () => {
    const metrics = new Metrics();
    metrics.counter("calls_total", "Calls.", ["server"]).add({ server: "a" }, 2);
    metrics.counter("commits_total", "Commits.");
    metrics.gauge("depth", "What\nwaits.", ["queue"]).set({ queue: "x" }, 3);
    metrics.gauge("live", "Live.", [], () => 7);
    metrics.gauge("by", "By kind.", ["kind"], () => [[{ kind: "http" }, 1]]);
    const seconds = metrics.histogram("seconds", "Time.", [0.1, 1], ["m"]);
    for (const value of [0.05, 0.1, 0.5, 3]) seconds.observe({ m: "GET" }, value);
    expect(metrics.text().split("\n")).toEqual([
      "# HELP calls_total Calls.",
      "# TYPE calls_total counter",
      'calls_total{server="a"} 2',
      "# HELP commits_total Commits.",
      "# TYPE commits_total counter",
      "commits_total 0",
      "# HELP depth What waits.",
      "# TYPE depth gauge",
      'depth{queue="x"} 3',
      "# HELP live Live.",
      "# TYPE live gauge",
      "live 7",
      "# HELP by By kind.",
      "# TYPE by gauge",
      'by{kind="http"} 1',
      "# HELP seconds Time.",
      "# TYPE seconds histogram",
      'seconds_bucket{m="GET",le="0.1"} 2',
      'seconds_bucket{m="GET",le="1"} 3',
      'seconds_bucket{m="GET",le="+Inf"} 4',
      'seconds_sum{m="GET"} 3.65',
      'seconds_count{m="GET"} 4',
      "",
    ]);
  });

  it("escapes and truncates label values", () => {
    const metrics = new Metrics();
    const counter = metrics.counter("c", "C.", ["name"]);
    counter.add({ name: 'a"} 1\nb\\' });
    counter.add({ name: "x".repeat(5000) });
    expect(metrics.text()).toContain('c{name="a\\"} 1\\nb\\\\"} 1\n');
    expect(metrics.text()).toContain(`c{name="${"x".repeat(100)}"} 1\n`);
  });

  it("counts surplus series as `other`", () => {
    const metrics = new Metrics();
    const counter = metrics.counter("c", "C.", ["name"]);
    for (let count = 0; count < 2000; count++) counter.add({ name: `n${count}` });
    const lines = metrics.text().trim().split("\n");
    expect(lines).toHaveLength(2 + 501);
    expect(lines).toContain('c{name="other"} 1500');
  });

  it("rejects a used or invalid name", () => {
    const metrics = new Metrics();
    gatewayMetrics(metrics);
    expect(() => gatewayMetrics(metrics)).toThrow(/already/);
    expect(() => metrics.counter("a b", "")).toThrow(/not a valid metric name/);
  });

  it("works like its example", () => {
    expect(examples.metricsExample(new Set([1]))).toContain('vitrine_calls_total{server="weather"} 1');
  });
});
