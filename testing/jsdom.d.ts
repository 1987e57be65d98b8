/** Types for the part of jsdom that tests use; jsdom has none of its own. */
declare module "jsdom" {
  export class VirtualConsole {}
  export class JSDOM {
    constructor(
      html?: string,
      options?: { runScripts?: "dangerously"; pretendToBeVisual?: boolean; virtualConsole?: VirtualConsole },
    );
    readonly window: Window & typeof globalThis;
  }
}
