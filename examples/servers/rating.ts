import type { Template } from "@vitrine/server";
import { viewScript } from "@vitrine/view/script";

export interface RatingConfig {
  readonly title?: string;
  readonly stars: number;
  /** Called with `{ stars }` when the user chooses. */
  readonly rateTool: string;
}

// Put longer scripts into files: `readFileSync(new URL("./rating.js", import.meta.url), "utf8")`.
const script = `
  const config = JSON.parse(document.getElementById("config").textContent);
  const app = new vitrine.App();
  const main = document.body.appendChild(document.createElement("main"));
  const add = (name, text) => {
    const element = main.appendChild(document.createElement(name));
    element.textContent = text;
    return element;
  };

  add("h1", config.title ?? "Rating");
  for (let stars = 1; stars <= config.stars; stars++)
    add("button", "★ " + stars).onclick = () => rate(stars);
  const status = add("p", "");
  status.setAttribute("role", "status");

  function show({ structuredContent, content, isError }) {
    status.textContent = isError ? content[0].text : structuredContent.stars + " of " + config.stars;
  }
  async function rate(stars) {
    show(await app.callServerTool({ name: config.rateTool, arguments: { stars } }));
  }
  app.ontoolresult = show;
  app.connect();`;

export const rating: Template<RatingConfig> = {
  name: "rating",
  title: "Rating",
  schema: {
    type: "object",
    properties: {
      title: { type: "string" },
      stars: { type: "integer", minimum: 1, maximum: 10, description: "The maximum number of stars." },
      rateTool: { type: "string", minLength: 1 },
    },
    required: ["stars", "rateTool"],
    additionalProperties: false,
  },
  style: "body { font-family: var(--font-sans, sans-serif); color: var(--color-text-primary, CanvasText) }",
  script: viewScript({ name: "rating", version: "1.0.0" }) + script,
  text: (data, { stars }) => `${(data as { stars?: number } | undefined)?.stars ?? 0} of ${stars} stars`,
};
