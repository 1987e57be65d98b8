/**
 * The state of the page's layout: its mode, and what is open in it.
 *
 * @module
 */
import { Observable } from "../../model/observable.js";
import type { ChosenTool } from "../servers/servers-pane.js";
import { keep, readKept } from "./kept.js";

/** `use`: the conversation and its apps alone. `inspect`: also the tools and the inspector. */
export type Mode = "use" | "inspect";

/** A pane of the page. */
export type Pane = "tools" | "conversation" | "inspector";

/** A step of the tour of the first visit. */
export type TourStep = "apps" | "models" | "tools" | "inspect";

/** A dialog over the page. */
export type Overlay = "palette" | "shortcuts" | "approvals";

/** The layout of the page. There is one instance. */
export class Screen extends Observable {
  #mode: Mode;
  #pane: Pane = "conversation";
  #chosen: ChosenTool | undefined;
  #isToolsOpen = false;
  #overlay: Overlay | undefined;
  #hasInspected = false;
  #hasSeenTools = false;
  #tour: TourStep | undefined;

  /** @param first the mode that the page's address asks for: in force until the user switches to another */
  constructor(first?: Mode) {
    super();
    const kept = readKept("mode");
    this.#mode = kept === "use" || kept === "inspect" ? kept : (first ?? "use");
    if (first && kept === undefined) keep("mode", first);
    // Seen once, it never comes back by itself: not shown where a browser cannot remember that.
    if (this.#mode === "use" && readKept("tour") === undefined) {
      keep("tour", "seen");
      if (readKept("tour") !== undefined) this.#tour = "apps";
    }
  }

  get mode(): Mode {
    return this.#mode;
  }

  /** The pane that a narrow screen shows. */
  get pane(): Pane {
    return this.#mode === "use" && !this.isToolsShown ? "conversation" : this.#pane;
  }

  /** The tool whose form is shown. */
  get chosen(): ChosenTool | undefined {
    return this.#chosen;
  }

  /** Whether the tools are shown: always when inspecting, and on demand otherwise. */
  get isToolsShown(): boolean {
    return this.#mode === "inspect" || this.#isToolsOpen;
  }

  /** Whether the user has inspected something since the page was opened: until then, the inspector is not loaded. */
  get isInspectorLoaded(): boolean {
    return (this.#hasInspected ||= this.#mode === "inspect");
  }

  /** Whether the tools were shown since the page was opened: until then, their list is not loaded. */
  get isToolsLoaded(): boolean {
    return (this.#hasSeenTools ||= this.isToolsShown);
  }

  /** The current step of the tour; undefined if there is none. */
  get tour(): TourStep | undefined {
    return this.#mode === "use" ? this.#tour : undefined;
  }

  /** Shows a step of the tour, or ends it. */
  tourTo(step: TourStep | undefined): void {
    this.#tour = step;
    this.changed();
  }

  get overlay(): Overlay | undefined {
    return this.#overlay;
  }

  /** Switches to a mode, or to the other one, and remembers it. */
  setMode(mode: Mode = this.#mode === "use" ? "inspect" : "use"): void {
    this.#mode = mode;
    this.#pane = "conversation";
    this.#isToolsOpen = false;
    keep("mode", mode);
    this.changed();
  }

  setPane(pane: Pane): void {
    this.#pane = pane;
    this.changed();
  }

  /** Shows or hides the tools in the mode `use`. */
  toggleTools(): void {
    this.#isToolsOpen = !this.#isToolsOpen;
    this.#pane = this.#isToolsOpen ? "tools" : "conversation";
    this.changed();
  }

  /** Shows the form of a tool, or the list of tools. */
  readonly choose = (tool: ChosenTool | undefined): void => {
    this.#chosen = tool;
    if (tool) {
      this.#isToolsOpen = true;
      this.#pane = "tools";
    }
    this.changed();
  };

  /** Shows the conversation, after a tool was called. */
  readonly toConversation = (): void => {
    this.#pane = "conversation";
    if (this.#mode === "use") {
      this.#isToolsOpen = false;
      this.#chosen = undefined;
    }
    this.changed();
  };

  /** Opens a dialog over the page, or closes it. */
  show(overlay: Overlay | undefined): void {
    this.#overlay = overlay;
    this.changed();
  }
}

/** The mode in the page's address: `vitrine dev` opens `#inspect`. */
export const modeFromAddress = (): Mode | undefined => (location.hash === "#inspect" ? "inspect" : undefined);
