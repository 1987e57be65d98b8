import schema from "@modelcontextprotocol/ext-apps/schema.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { DEFAULT_STYLE_VARIABLES, STYLE_VARIABLES, type StyleVariable } from "./style-variables.js";

type Rgba = readonly [number, number, number, number];

const colours = STYLE_VARIABLES.filter((name) => name.startsWith("--color-"));
const LIGHT_DARK = /^light-dark\((#[0-9a-f]{6,8}), (#[0-9a-f]{6,8})\)$/;

function colour(name: StyleVariable, theme: "light" | "dark"): Rgba {
  const hex = LIGHT_DARK.exec(DEFAULT_STYLE_VARIABLES[name])?.[theme === "light" ? 1 : 2] ?? "";
  const part = (at: number, absent: string) => Number.parseInt(hex.slice(at, at + 2) || absent, 16);
  return [part(1, "0"), part(3, "0"), part(5, "0"), part(7, "ff") / 255];
}

/** The visible colour when one colour lies over an opaque one. */
function over([r, g, b, alpha]: Rgba, below: Rgba): Rgba {
  const mix = (top: number, under: number) => top * alpha + under * (1 - alpha);
  return [mix(r, below[0]), mix(g, below[1]), mix(b, below[2]), 1];
}

/** Relative luminance, WCAG 2.2. */
function luminance([r, g, b]: Rgba): number {
  const linear = (value: number) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function contrast(front: StyleVariable, back: StyleVariable, theme: "light" | "dark"): number {
  const page = colour("--color-background-primary", theme);
  const below = over(colour(back, theme), page);
  const pair = [luminance(over(colour(front, theme), below)), luminance(below)];
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
}

const surfaces = [
  "--color-background-primary",
  "--color-background-secondary",
  "--color-background-tertiary",
] as const satisfies StyleVariable[];
const states = ["info", "danger", "success", "warning"] as const;

/** Each foreground with the backgrounds it is meant for, and the ratio it must reach. */
const pairs: [front: StyleVariable, back: StyleVariable, ratio: number][] = [
  ...surfaces.flatMap((back): [StyleVariable, StyleVariable, number][] => [
    ["--color-text-primary", back, 4.5],
    ["--color-text-secondary", back, 4.5],
    ["--color-text-tertiary", back, 4.5],
    ["--color-text-ghost", back, 4.5],
    ["--color-border-primary", back, 3],
    ["--color-ring-primary", back, 3],
    ["--color-ring-secondary", back, 3],
    ...states.flatMap((state): [StyleVariable, StyleVariable, number][] => [
      [`--color-text-${state}`, back, 4.5],
      [`--color-ring-${state}`, back, 3],
      [`--color-border-${state}`, back, 3],
    ]),
  ]),
  ...states.flatMap((state): [StyleVariable, StyleVariable, number][] => [
    [`--color-text-${state}`, `--color-background-${state}`, 4.5],
    ["--color-text-primary", `--color-background-${state}`, 4.5],
    [`--color-ring-${state}`, `--color-background-${state}`, 3],
    [`--color-border-${state}`, `--color-background-${state}`, 3],
  ]),
  ["--color-text-ghost", "--color-background-ghost", 4.5],
  ["--color-text-inverse", "--color-background-inverse", 4.5],
  ["--color-ring-inverse", "--color-background-inverse", 3],
  ["--color-text-disabled", "--color-background-disabled", 3],
  ["--color-text-disabled", "--color-background-primary", 3],
];

describe("style variables", () => {
  it("X01 are the keys of the official schema, in its order", () => {
    const official = schema.$defs.McpUiStyleVariableKey.anyOf.map((option) => option.const);
    expect(STYLE_VARIABLES).toEqual(official);
  });

  it("X01 each have a default", () => {
    expect(Object.keys(DEFAULT_STYLE_VARIABLES)).toEqual([...STYLE_VARIABLES]);
    for (const name of STYLE_VARIABLES) expect(DEFAULT_STYLE_VARIABLES[name]).not.toBe("");
  });

  it.each(colours)("X03 %s is written with light-dark()", (name) => {
    expect(DEFAULT_STYLE_VARIABLES[name]).toMatch(LIGHT_DARK);
  });

  it("X03 shadows follow the theme too", () => {
    for (const name of STYLE_VARIABLES.filter((name) => name.startsWith("--shadow-"))) {
      expect(DEFAULT_STYLE_VARIABLES[name]).toContain("light-dark(");
    }
  });

  it.each(["light", "dark"] as const)("X03 contrast reaches WCAG AA in the %s theme", (theme) => {
    const low = pairs
      .map(([front, back, ratio]) => ({ front, back, ratio, is: contrast(front, back, theme) }))
      .filter(({ ratio, is }) => !(is >= ratio));
    expect(low).toEqual([]);
  });
});
