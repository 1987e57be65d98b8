/**
 * Validates the options of `vitrine render`.
 *
 * @module
 */
import { type Allowance, PROFILE_MODES, type RenderAct, wrongPath } from "@vitrine/workbench";
import { CliError, EXIT, usage } from "../exit.js";
import { DEVICES, type RenderDevice } from "./devices.js";
import type { RenderOptions } from "./render-options.js";

/** The validated options. */
export interface RenderPlan {
  readonly tools: readonly string[];
  readonly all: boolean;
  readonly args: string | undefined;
  readonly theme: "light" | "dark";
  readonly mode: "inline" | "fullscreen" | "pip";
  readonly device: RenderDevice;
  readonly locale: string | undefined;
  readonly timeZone: string | undefined;
  readonly profile: string;
  readonly screenshot: string | undefined;
  readonly trace: string | undefined;
  /** Paths of message values that are removed from the recording. */
  readonly redact: readonly string[];
  readonly replay: string | undefined;
  /** Whether the text of a replayed app is not compared. */
  readonly ignoreText: boolean;
  /** Steps after the app is shown. */
  readonly steps: readonly RenderAct[];
  readonly allow: readonly Allowance[];
  readonly timeout: number;
  /** Whether the timeout was given: then it applies to the server too, whatever its settings. */
  readonly isTimeoutGiven: boolean;
}

/** Milliseconds. */
const TIMEOUT = 30_000;
const MOST = 3_600_000;

/**
 * Validates the options.
 *
 * @throws {CliError} `usage`, `profile-unknown`, `mode-unavailable`
 */
export function planOf(options: RenderOptions): RenderPlan {
  const { tool: tools = [], all = false, args, screenshot, trace, replay, steps = [] } = options;
  checkTools(options);
  if (screenshot !== undefined && !/\.png$/i.test(screenshot))
    throw usage(`--screenshot ${screenshot}: only PNG is supported; use a name that ends with .png`);
  return {
    tools,
    all,
    args,
    screenshot,
    trace,
    replay,
    redact: redactOf(options),
    ignoreText: ignoreTextOf(options),
    theme: oneOf("--theme", options.theme ?? "light", ["light", "dark"]),
    ...profileAndMode(options),
    device: DEVICES[oneOf("--device", options.device ?? "desktop", ["desktop", "tablet", "mobile"])],
    locale: localeOf(options.locale),
    timeZone: timeZoneOf(options.timeZone),
    steps: steps.map((step) =>
      "click" in step ? { click: clickOf(step.click) } : { wait: waitOf(step.wait) },
    ),
    allow: allowances(options),
    timeout: timeoutOf(options.timeout),
    isTimeoutGiven: options.timeout !== undefined,
  };
}

/** The profile, and a mode that it has: checked before any server or browser is started. */
function profileAndMode(options: RenderOptions): Pick<RenderPlan, "profile" | "mode"> {
  const mode = oneOf("--mode", options.mode ?? "inline", ["inline", "fullscreen", "pip"]);
  const { profile = "strict" } = options;
  const wrong = (code: string, message: string): CliError =>
    new CliError(code, message, { exit: EXIT.usage });
  const modes = Object.hasOwn(PROFILE_MODES, profile) ? PROFILE_MODES[profile] : undefined;
  if (!modes) {
    const names = Object.keys(PROFILE_MODES).join(", ");
    throw wrong("profile-unknown", `--profile ${profile}: there is no such profile; there are ${names}`);
  }
  if (!modes.includes(mode))
    throw wrong("mode-unavailable", `--mode ${mode}: the profile ${profile} has ${modes.join(", ")}`);
  return { profile, mode };
}

/** Checks the selection of apps: named ones, all, or that of a recording. */
function checkTools({ tool: tools = [], all = false, args, replay }: RenderOptions): void {
  if (replay !== undefined) {
    if (all || tools.length > 0 || args !== undefined)
      throw usage("--replay: the recording determines the app; omit --tool, --all and --args");
    return;
  }
  if (all && tools.length > 0) throw usage("--all and --tool: use only one of them");
  if (!all && tools.length === 0)
    throw usage("choose a tool with --tool NAME, or --all; vitrine tools lists them");
  if (new Set(tools).size < tools.length) throw usage("--tool: the same tool is given twice");
  if (all && args !== undefined)
    throw usage(
      "--args: with --all the arguments are generated from the schemas; choose the tool with --tool",
    );
}

function oneOf<const T extends string>(name: string, value: string, values: readonly T[]): T {
  const found = values.find((each) => each === value);
  if (found === undefined) throw usage(`${name} ${value}: use ${values.join(", ")}`);
  return found;
}

function localeOf(locale: string | undefined): string | undefined {
  try {
    return locale === undefined ? undefined : Intl.getCanonicalLocales(locale)[0];
  } catch {
    throw usage(`--locale ${locale}: use a language tag, such as en-GB or de`);
  }
}

function timeZoneOf(timeZone: string | undefined): string | undefined {
  try {
    // Kept as written: it may resolve to another name.
    if (timeZone !== undefined) new Intl.DateTimeFormat("en", { timeZone });
    return timeZone;
  } catch {
    throw usage(`--time-zone ${timeZone}: use a name such as Europe/Rome or UTC`);
  }
}

function redactOf({ redact = [], trace }: RenderOptions): readonly string[] {
  if (redact.length > 0 && trace === undefined) throw usage("--redact: needs a recording; add --trace FILE");
  for (const path of redact) {
    const wrong = wrongPath(path);
    if (wrong !== undefined) throw usage(`--redact ${path}: ${wrong}`);
  }
  return redact;
}

function ignoreTextOf({ ignoreText = false, replay }: RenderOptions): boolean {
  if (ignoreText && replay === undefined)
    throw usage("--ignore-text: only a replay compares text; add --replay FILE");
  return ignoreText;
}

function clickOf(click: string): string {
  if (click.trim() === "") throw usage("--click: give a text or a selector");
  return click;
}

function waitOf(wait: string): string | number {
  if (wait.trim() === "") throw usage("--wait: give a text, or milliseconds");
  if (!/^\d+$/.test(wait)) return wait;
  if (Number(wait) > MOST) throw usage(`--wait ${wait}: wait at most an hour, ${MOST} milliseconds`);
  return Number(wait);
}

function timeoutOf(timeout = TIMEOUT): number {
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > MOST)
    throw usage(`--timeout ${timeout}: use at most an hour`);
  return timeout;
}

function allowances(options: RenderOptions): Allowance[] {
  const said: readonly (readonly [Allowance, boolean | undefined])[] = [
    ["calls", options.allowCalls],
    ["links", options.allowLinks],
    ["downloads", options.allowDownloads],
    ["messages", options.allowMessages],
    ["permissions", options.allowPermissions],
    ["all", options.allowAll],
  ];
  return said.filter(([, isAllowed]) => isAllowed === true).map(([name]) => name);
}
