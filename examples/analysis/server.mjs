// A tool and its dashboard, over stdio or, with `--http`, over HTTP.
import { appServer, InputError, serve, tool, view } from "@vitrine/server";
import { z } from "zod";
import { page } from "./dashboard.mjs";

const datasets = {
  latest: [4, 8, 15, 16, 23, 42],
  sales: [120, 80, 100],
};

const dashboard = view({
  name: "dashboard",
  description: "Interactive data dashboard",
  html: page,
  csp: { connectDomains: ["https://api.myapp.com"] },
});

const analyzeData = tool({
  name: "analyze_data",
  description: "Analyzes uploaded data",
  input: z.object({ dataset: z.string().describe("Dataset name") }),
  output: z.object({ dataset: z.string(), count: z.number(), mean: z.number(), largest: z.number() }),
  annotations: { readOnlyHint: true },
  visibility: ["model", "app"],
  view: dashboard,
  text: ({ dataset, count, mean }) => `${dataset}: ${count} values, ${mean} on average`,
  run: ({ dataset }) => {
    const values = Object.hasOwn(datasets, dataset) ? datasets[dataset] : undefined;
    if (!values) throw new InputError({ dataset: `There are ${Object.keys(datasets).join(" and ")}.` });
    const sum = values.reduce((one, other) => one + other);
    return { dataset, count: values.length, mean: sum / values.length, largest: Math.max(...values) };
  },
});

const server = appServer({ name: "MyApp", version: "1.0.0", tools: [analyzeData] });
const { url } = await serve(server);
if (url) process.stderr.write(`${url}\n`);
