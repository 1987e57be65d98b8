/** Shared style of the demos: the host's variables, with fallbacks for a host without any. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: var(--color-background-primary, light-dark(#ffffff, #1b1b1f));
  --panel: var(--color-background-secondary, light-dark(#f6f6f8, #232328));
  --panel-2: var(--color-background-tertiary, light-dark(#ececf0, #2d2d33));
  --ink: var(--color-text-primary, light-dark(#1b1b1f, #f2f2f5));
  --ink-2: var(--color-text-secondary, light-dark(#47474f, #c9c9d1));
  --ink-3: var(--color-text-tertiary, light-dark(#5e5e68, #a6a6b0));
  --line: var(--color-border-tertiary, light-dark(#e2e2e8, #36363d));
  --line-2: var(--color-border-secondary, light-dark(#c9c9d1, #47474f));
  --accent: var(--color-text-info, light-dark(#0b4fb3, #8fbcff));
  --accent-paper: var(--color-background-info, light-dark(#e6f0ff, #14294a));
  --danger: var(--color-text-danger, light-dark(#b01c24, #ff9a9e));
  --ring: var(--color-ring-primary, light-dark(#1f66d1, #6ea8ff));
  --round: var(--border-radius-md, 8px);
  --round-2: var(--border-radius-lg, 12px);
  font-family: var(--font-sans, system-ui, sans-serif);
}
*, ::before, ::after { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0; padding: 16px; color: var(--ink); background: var(--paper); font-size: 14px; line-height: 1.45 }
h1, h2, p { margin: 0 }
button, input, select {
  font: inherit; color: inherit; min-height: 34px; padding: 5px 12px;
  border: 1px solid var(--line-2); border-radius: var(--round); background: var(--paper);
}
button { cursor: pointer; font-weight: 500 }
button:hover:not(:disabled) { background: var(--panel-2) }
button:disabled { opacity: .55; cursor: default }
button.main { color: var(--color-text-inverse, light-dark(#fff, #1b1b1f)); background: var(--color-background-inverse, light-dark(#1b1b1f, #f6f6f8)); border-color: transparent }
button.main:hover:not(:disabled) { opacity: .88; background: var(--color-background-inverse, light-dark(#1b1b1f, #f6f6f8)) }
button.plain { border-color: transparent; background: none; color: var(--ink-2) }
input { min-width: 0; cursor: text }
input::placeholder { color: var(--ink-3); opacity: 1 }
:focus-visible { outline: 2px solid var(--ring); outline-offset: 2px }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 8px }
.note { color: var(--ink-3); font-size: 13px }
.note.bad { color: var(--danger) }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
`;
