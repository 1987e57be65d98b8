/** A browser with one tab, driven from outside by the actions of the WebDriver standard. */
export interface Engine {
  open(url: string): Promise<void>;
  /**
   * Calls a function in a frame, and gives its result, which must be JSON.
   *
   * @param frame expressions that lead there: each gives an `iframe` of the document before
   * @param code the function's source; it gets `arg`
   */
  call(frame: FramePath, code: string, arg: unknown): Promise<unknown>;
  /** Performs actions of a pointer or a keyboard, with positions in the frame. */
  perform(frame: FramePath, actions: Actions): Promise<void>;
  /** A screenshot of the window, as PNG. */
  picture(): Promise<Buffer>;
  close(): Promise<void>;
}

/** The way to a frame; empty for the page itself. */
export type FramePath = readonly string[];

/** The actions of one device, as WebDriver has them. */
export type Actions = KeyActions | PointerActions;

interface KeyActions {
  readonly type: "key";
  readonly id: string;
  readonly actions: readonly { type: "keyDown" | "keyUp"; value: string }[];
}

export interface PointerActions {
  readonly type: "pointer";
  readonly id: string;
  readonly parameters: { readonly pointerType: "mouse" };
  readonly actions: readonly PointerAction[];
}

type PointerAction =
  | { type: "pointerMove"; x: number; y: number; duration: number; origin: "viewport" }
  | { type: "pointerDown" | "pointerUp"; button: number }
  | { type: "pause"; duration: number };

/** Where a frame is in the window. */
export async function offsetOf(engine: Engine, frame: FramePath): Promise<{ x: number; y: number }> {
  let [x, y] = [0, 0];
  for (const [depth, step] of frame.entries()) {
    const code = `() => (${step}).getBoundingClientRect().toJSON()`;
    const box = (await engine.call(frame.slice(0, depth), code, null)) as { x: number; y: number };
    x += box.x;
    y += box.y;
  }
  return { x, y };
}

/** The size of the window. */
export const WINDOW = { width: 1500, height: 950 };
