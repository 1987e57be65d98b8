import { appServer, type Template, tool, view } from "@vitrine/server";
import { type Discovered, discover, uiMetaSchema } from "@vitrine/server/discovery";
import { TEMPLATES } from "@vitrine/server/templates";
import { viewScript } from "@vitrine/view/script";
import { z } from "zod";

//#region ownTemplate
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
//#endregion ownTemplate

//#region ownTemplateView
export const rate = tool({
  name: "rate",
  input: z.object({ stars: z.number().int().min(1) }),
  output: z.object({ stars: z.number() }),
  view: view({ name: "rating", template: rating, config: { stars: 5, rateTool: "rate" } }),
  run: ({ stars }) => ({ stars }),
});
//#endregion ownTemplateView

export const shop = appServer({ name: "shop", version: "1.0.0", tools: [rate] });

/** Uses `template: "rating"` in `ui.meta.json`. */
export async function discoverOwnTemplate(root: string): Promise<Discovered> {
  //#region ownTemplateFolders
  const found = await discover({ root, name: "shop", version: "1.0.0", templates: [rating] });
  //#endregion ownTemplateFolders
  return found;
}

//#region ownTemplateSchema
export const editorSchema = JSON.stringify(uiMetaSchema({ ...TEMPLATES, rating }));
//#endregion ownTemplateSchema
