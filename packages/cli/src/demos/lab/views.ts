/**
 * The apps of the lab. Run in the page.
 *
 * @module
 */
import type { DisplayMode } from "@vitrine/protocol";
import type { StandardSchema } from "@vitrine/view";
import { byId, make, problemOf, startApp } from "../view.js";

/** Logs at every level, to the host and to the console. */
export async function showLogs(): Promise<void> {
  const app = startApp();
  const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
  let count = 0;
  for (const level of levels) {
    const button = make("button", { type: "button" }, level);
    button.onclick = async () => {
      const data = { text: `line ${++count}`, level };
      try {
        await app.sendLog({ level, logger: "lab", data });
        byId("said").textContent = `Sent line ${count} as ${level}.`;
      } catch (error) {
        byId("said").textContent = problemOf(error);
      }
    };
    byId("buttons").append(button);
  }
  byId("throw").onclick = () => {
    byId("said").textContent = "Thrown: the host hears of it as an error of the page.";
    throw new Error("thrown on purpose");
  };
  await app.connect();
  await app.sendLog({ level: "info", logger: "lab", data: "the app is ready" });
}

/** Makes requests that its policy blocks. */
export async function breakPolicy(): Promise<void> {
  const app = startApp();
  await app.connect();
  // Only policy violations matter, and those are reported by an event: the request fails in any case.
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
    byId("said").append(make("li", {}, `${effectiveDirective} stopped ${blockedURI}`));
  });
  const attempts: Record<string, () => unknown> = {
    fetch: () => fetch("https://example.invalid/data.json"),
    image: () => make("img", { src: "https://example.invalid/picture.png", alt: "" }),
    script: () => document.head.append(make("script", { src: "https://example.invalid/script.js" })),
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    const button = make("button", { type: "button" }, `Try ${name}`);
    button.onclick = async () => {
      try {
        await attempt();
      } catch {
        // As expected.
      }
    };
    byId("buttons").append(button);
  }
  byId("buttons").querySelector("button")?.click();
}

/** Offers tools to the host. */
export async function offerTools(): Promise<void> {
  const app = startApp();
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
      description: "Rolls a die that the person sees",
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
}

/** Switches between display modes. */
export async function changeModes(): Promise<void> {
  const modes: DisplayMode[] = ["inline", "fullscreen", "pip"];
  const app = startApp({ availableDisplayModes: modes });
  const titles: Record<string, string> = {
    inline: "Inline",
    fullscreen: "Fullscreen",
    pip: "Picture in picture",
  };
  const show = (): void => {
    const {
      displayMode = "inline",
      availableDisplayModes = [],
      theme,
      locale,
      timeZone,
      containerDimensions,
    } = app.getHostContext() ?? {};
    byId("mode").textContent = titles[displayMode] ?? displayMode;
    byId("context").textContent = JSON.stringify(
      { theme, locale, timeZone, containerDimensions },
      undefined,
      1,
    );
    byId("buttons").replaceChildren(
      ...modes.map((mode) => {
        const isOff = !availableDisplayModes.includes(mode);
        const button = make("button", {
          type: "button",
          "aria-pressed": `${mode === displayMode}`,
          disabled: isOff,
        });
        button.textContent = titles[mode] ?? mode;
        button.onclick = async () => {
          try {
            const { mode: granted } = await app.requestDisplayMode({ mode });
            byId("said").textContent = granted === mode ? "" : `The host stays in ${granted}.`;
          } catch (error) {
            byId("said").textContent = problemOf(error);
          }
        };
        return button;
      }),
    );
  };
  app.onhostcontextchanged = show;
  await app.connect();
  show();
}
