/**
 * The tour of the first visit: four places of the page, each with a sentence. It covers nothing that is used, takes no focus, and
 * appears once in a browser.
 *
 * @module
 */
import { Button } from "react-aria-components";
import type { Screen, TourStep } from "./screen.js";
import "./tour.css";

const STEPS: Readonly<Record<TourStep, { title: string; text: string }>> = {
  apps: {
    title: "Open an app",
    text: "Choose one in the middle, or type / below. It is part of the conversation, and you can use it at once.",
  },
  models: {
    title: "Choose a model",
    text: "A model answers what you write, and opens apps for you. It runs on this machine, or at a provider for which you have a key.",
  },
  tools: {
    title: "Add your own server",
    text: "Tools lists what every server can do. Below the list, you add servers by their address, a command or JSON.",
  },
  inspect: {
    title: "Look under the hood",
    text: "Inspect shows each message between the page, its apps and their servers.",
  },
};
const ORDER = Object.keys(STEPS) as TourStep[];

/** The current step. */
export default function Tour({ screen, step }: { screen: Screen; step: TourStep }) {
  const at = ORDER.indexOf(step);
  const next = ORDER[at + 1];
  const { title, text } = STEPS[step];
  return (
    <aside className="tour" aria-label="Tour">
      <h2>{title}</h2>
      <p>{text}</p>
      <div className="tour-buttons">
        <span className="soft small">
          {at + 1} of {ORDER.length}
        </span>
        {next && (
          <Button className="button quiet" onPress={() => screen.tourTo(undefined)}>
            Skip the tour
          </Button>
        )}
        <Button className="button primary" onPress={() => screen.tourTo(next)}>
          {next ? "Next" : "Done"}
        </Button>
      </div>
    </aside>
  );
}
