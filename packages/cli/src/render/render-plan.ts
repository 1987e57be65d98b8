/**
 * What was said to `vitrine render`, checked.
 *
 * @module
 */
import { type Allowance, PROFILE_MODES, type RenderAct, wrongPath } from "@vitrine/workbench";
import { CliError, EXIT, usage } from "../exit.js";
import { DEVICES, type Device } from "./devices.js";
import type { RenderOptions } from "./render-options.js";

/** The options, checked. */
export interface RenderPlan {
  readonly tools: readonly string[];
  readonly all: boolean;
  readonly args: string | undefined;
  readonly theme: "light" | "dark";
  readonly mode: "inline" | "fullscreen" | "pip";
  readonly device: Device;
  readonly locale: string | undefined;
  readonly timeZone: string | undefined;
  readonly profile: string;
  readonly screenshot: string | undefined;
  readonly trace: string | undefined;
  /** Places in messages whose values are taken out of the recording. */
  readonly redact: readonly string[];
  readonly replay: string | undefined;
  /** The text that a replayed app shows is not compared. */
  readonly ignoreText: boolean;
  /** What is done with the app once it is shown. */
  readonly steps: readonly RenderAct[];
  readonly allow: readonly Allowance[];
  readonly timeout: number;
  /** Whether somebody said it: then it counts for the server too, whatever its settings say. */
  readonly isTimeoutGiven: boolean;
}

/** Milliseconds. */
const TIMEOUT = 30_000;
const MOST = 3_600_000;

/**
 * Checks the options.
 *
 * @throws {CliError} `usage`, `profile-unknown`, `mode-unavailable`
 */
export function planOf(options: RenderOptions): RenderPlan {
  const { tool: tools = [], all = false, args, screenshot, trace, replay, steps = [] } = options;
  checkTools(options);
  if (screenshot !== undefined && !/\.png$/i.test(screenshot))
    throw usage(`--screenshot ${screenshot}: pictures are PNG; let the name end with .png`);
  return {
    ...{ tools, all, args, screenshot, trace, replay },
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

/** Which apps: some that are named, all of them, or that of a recording. */
function checkTools({ tool: tools = [], all = false, args, replay }: RenderOptions): void {
  if (replay !== undefined) {
    if (all || tools.length > 0 || args !== undefined)
      throw usage("--replay: the recording says which app it is; leave out --tool, --all and --args");
    return;
  }
  if (all && tools.length > 0) throw usage("--all and --tool: say one of them");
  if (!all && tools.length === 0)
    throw usage("say which tool with --tool NAME, or --all; vitrine tools lists them");
  if (new Set(tools).size < tools.length) throw usage("--tool: the same tool is named twice");
  if (all && args !== undefined)
    throw usage("--args: with --all the arguments are made from the schemas; name the tool with --tool");
}

function oneOf<const T extends string>(name: string, value: string, values: readonly T[]): T {
  const found = values.find((each) => each === value);
  if (found === undefined) throw usage(`${name} ${value}: say ${values.join(", ")}`);
  return found;
}

function localeOf(locale: string | undefined): string | undefined {
  try {
    return locale === undefined ? undefined : Intl.getCanonicalLocales(locale)[0];
  } catch {
    throw usage(`--locale ${locale}: write a language tag, such as en-GB or de`);
  }
}

function timeZoneOf(timeZone: string | undefined): string | undefined {
  try {
    // As it was written: what it resolves to may be another name for it.
    if (timeZone !== undefined) new Intl.DateTimeFormat("en", { timeZone });
    return timeZone;
  } catch {
    throw usage(`--time-zone ${timeZone}: write a name such as Europe/Rome or UTC`);
  }
}

function redactOf({ redact = [], trace }: RenderOptions): readonly string[] {
  if (redact.length > 0 && trace === undefined)
    throw usage("--redact: say with --trace FILE which recording the values are taken out of");
  for (const path of redact) {
    const wrong = wrongPath(path);
    if (wrong !== undefined) throw usage(`--redact ${path}: ${wrong}`);
  }
  return redact;
}

function ignoreTextOf({ ignoreText = false, replay }: RenderOptions): boolean {
  if (ignoreText && replay === undefined)
    throw usage("--ignore-text: only a replay compares text; name a recording with --replay FILE");
  return ignoreText;
}

function clickOf(click: string): string {
  if (click.trim() === "") throw usage("--click: name a text or a selector");
  return click;
}

function waitOf(wait: string): string | number {
  if (wait.trim() === "") throw usage("--wait: name a text, or milliseconds");
  if (!/^\d+$/.test(wait)) return wait;
  if (Number(wait) > MOST) throw usage(`--wait ${wait}: wait an hour at most, ${MOST} milliseconds`);
  return Number(wait);
}

function timeoutOf(timeout = TIMEOUT): number {
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > MOST)
    throw usage(`--timeout ${timeout}: say up to an hour`);
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
