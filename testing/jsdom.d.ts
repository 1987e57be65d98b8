/** What tests use of jsdom, which has no types of its own. */
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
