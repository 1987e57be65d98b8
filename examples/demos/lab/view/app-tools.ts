/** Offers tools to the host. */
import { App, type StandardSchema } from "@vitrine/view";
import { byId, make } from "../../page.js";

const app = new App({ name: "lab/app-tools", version: "1.0.0" });
/** A hand-written schema: the minimum of Standard Schema. */
const schema = <T extends object>(
  json: Record<string, unknown>,
  check: (value: unknown) => T | undefined,
  problem: string,
): StandardSchema<unknown, T> => ({
  "~standard": {
    version: 1,
    vendor: "lab",
    validate: (value: unknown) => {
      const checked = check(value);
      return checked === undefined ? { issues: [{ message: problem }] } : { value: checked };
    },
    jsonSchema: { input: () => json, output: () => json },
  },
});
const show = (text: string): void => byId("said").prepend(make("li", {}, text));
const answer = (text: string) => ({ content: [{ type: "text" as const, text }] });

const dice = schema(
  {
    type: "object",
    properties: { sides: { type: "integer", minimum: 2, maximum: 100 } },
    required: ["sides"],
  },
  (value) => {
    const { sides } = Object(value);
    return Number.isInteger(sides) && sides >= 2 && sides <= 100 ? { sides: Number(sides) } : undefined;
  },
  "sides is a whole number from 2 to 100",
);
app.registerTool(
  "roll_dice",
  {
    title: "Roll a die",
    description: "Rolls a die that the user sees",
    inputSchema: dice,
    annotations: { readOnlyHint: true },
  },
  ({ sides }) => {
    const rolled = 1 + Math.floor(Math.random() * sides);
    byId("die").textContent = `${rolled}`;
    show(`roll_dice: ${rolled} of ${sides}`);
    return answer(`The die shows ${rolled}.`);
  },
);
const hue = schema(
  { type: "object", properties: { hue: { type: "number", minimum: 0, maximum: 360 } }, required: ["hue"] },
  (value) => {
    const { hue } = Object(value);
    return typeof hue === "number" && hue >= 0 && hue <= 360 ? { hue } : undefined;
  },
  "hue is a number from 0 to 360",
);
app.registerTool(
  "paint",
  {
    title: "Paint the die",
    description: "Gives the die another colour",
    inputSchema: hue,
    annotations: { readOnlyHint: false },
  },
  ({ hue }) => {
    byId("die").style.setProperty("--hue", `${hue}`);
    show(`paint: ${hue}`);
    return answer(`The die has the hue ${hue}.`);
  },
);
await app.connect();
