/**
 * Metrics of the gateway's process, under the names that Prometheus' clients use.
 *
 * @module
 */
import { readdirSync } from "node:fs";
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import type { Metrics } from "./metrics.js";

/** Milliseconds between samples of the event loop. */
const RESOLUTION = 20;

/** Registers the metrics. Nothing is measured before they are requested for the first time. */
export function processMetrics(metrics: Metrics): void {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION });
  let gcSeconds = 0;
  let isFollowed = false;
  const follow = (): void => {
    if (isFollowed) return;
    isFollowed = true;
    loop.enable();
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) gcSeconds += duration / 1000;
    }).observe({ entryTypes: ["gc"] });
  };
  const read = (name: string, help: string, value: () => number): void =>
    void metrics.gauge(name, help, [], value);

  metrics.counter("process_cpu_seconds_total", "Processor time of the process.", [], () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  read("process_resident_memory_bytes", "Memory of the process.", () => process.memoryUsage.rss());
  read("process_start_time_seconds", "Start of the process, since 1970.", () =>
    Math.round(performance.timeOrigin / 1000),
  );
  read("process_open_fds", "Open files and connections; 0 where the system does not tell.", openFiles);
  read("nodejs_heap_size_used_bytes", "Memory of JavaScript objects.", () => process.memoryUsage().heapUsed);
  read(
    "nodejs_active_resources",
    "Timers, connections and requests that keep the process alive.",
    () => process.getActiveResourcesInfo().length,
  );
  metrics.counter("nodejs_gc_seconds_total", "Time of garbage collection since the first scrape.", [], () => {
    follow();
    return gcSeconds;
  });
  metrics.gauge(
    "nodejs_eventloop_lag_seconds",
    "Delay of the event loop since the last scrape.",
    ["quantile"],
    () => {
      follow();
      const at = (quantile: number): number =>
        loop.count === 0 ? 0 : Math.max(0, loop.percentile(quantile) / 1e9 - RESOLUTION / 1000);
      const values = ([50, 99, 100] as const).map(
        (quantile) => [{ quantile: String(quantile / 100) }, at(quantile)] as const,
      );
      loop.reset();
      return values;
    },
  );
}

function openFiles(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}
