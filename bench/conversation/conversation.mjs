/**
 * A conversation with a model, in the built workbench in Chromium, through the gateway with its guard, audit
 * log and store on disk: the first partial input in an app, the cost of a token, and a hundred turns with
 * twenty apps.
 *
 * @module
 */
import { loadavg } from "node:os";
import { ms, table, times } from "../statistics.mjs";
import { measureFirstPartial } from "./first-partial.mjs";
import { measureHundredTurns } from "./hundred-turns.mjs";
import { openConversationStage } from "./stage.mjs";
import { measureTokens } from "./tokens.mjs";

/** Median milliseconds from the first argument byte to the first partial in the app, with a warm sandbox. */
const EXPECTED_PARTIAL = 30;
/** The largest allowed ratio of the last turns' duration to the first turns'. */
const EXPECTED_GROWTH = 1.5;

/** @param rounds samples of the first partial */
export async function measureConversation(browser, rounds) {
  const stage = await openConversationStage();
  try {
    const load = () => Math.round(loadavg()[0] * 10) / 10;
    const began = load();
    const partial = await measureFirstPartial(stage, browser, rounds);
    const tokens = await measureTokens(stage, browser);
    const turns = await measureHundredTurns(stage, browser);
    return { partial, tokens, turns, load: [began, load()] };
  } finally {
    await stage.close();
  }
}

const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;

/** The results, one table for each question. */
export const showConversation = ({ partial, tokens, turns, load }) =>
  [
    table(
      ["first argument byte →", "n", "its document begins", "its script", "first partial, p50", "p99"],
      [
        ["the app is shown already", partial.shown],
        ["warm: another app of its server is open", partial.warm],
        ["cold: the first app in a new browser", partial.cold],
      ].map(([what, { n, document, script, p50, p99 }]) => [
        ...[what, n],
        ...[document, script].map((value) => (value > 0 ? ms(value) : "before")),
        ...[ms(p50), ms(p99)],
      ]),
    ),
    "",
    table(
      [`one token of ${tokens.perSecond} a second → text`, "p50", "mean", "p99", "CPU gateway", "CPU page"],
      [
        ["gateway and workbench", tokens.ours.paced],
        ["a bare page reads the stream", { ...tokens.bare.paced, gateway: undefined }],
        ["a bare Node process reads it", tokens.node.paced],
      ].map(([what, each]) => [
        what,
        ...[each.p50, each.mean, each.p99, each.gateway, each.page].map((value) =>
          value === undefined ? "–" : ms(value),
        ),
      ]),
    ),
    "",
    table(
      [`${tokens.many} tokens at once`, "all of them", "CPU gateway, each", "CPU page, each"],
      [
        ["gateway and workbench", tokens.ours.fast],
        ["a bare page reads the stream", { ...tokens.bare.fast, gateway: undefined }],
        ["a bare Node process reads it", tokens.node.fast],
      ].map(([what, { total, gateway, page }]) => [
        what,
        ms(total),
        ...[gateway, page].map((value) => (value === undefined ? "–" : ms(value))),
      ]),
    ),
    "",
    table(
      [
        `${turns.turns} turns, ${turns.live} live apps`,
        "page's objects",
        "all renderers",
        "gateway",
        "turn, p50",
      ],
      [
        ["at the beginning", turns.before, turns.first],
        ["at the end", turns.after, turns.last],
      ].map(([what, { heap, renderers, processes, gateway }, time]) => [
        what,
        megabytes(heap),
        `${megabytes(renderers)} in ${processes}`,
        megabytes(gateway),
        ms(time),
      ]),
    ),
    "",
    `The last turns take ${times(turns.growth)} as long as the first. Load ${load.join(" before, ")} after.`,
  ].join("\n");

/** Returns one line for each expectation that is not met. */
export const conversationShortfalls = ({ partial, turns }) => [
  ...(partial.warm.p50 > EXPECTED_PARTIAL
    ? [
        `over ${ms(EXPECTED_PARTIAL)} from the first argument byte to the first partial in an app whose site is warm, p50: ${ms(partial.warm.p50)}`,
      ]
    : []),
  ...(turns.growth > EXPECTED_GROWTH
    ? [`the last turns take over ${times(EXPECTED_GROWTH)} as long as the first: ${times(turns.growth)}`]
    : []),
  // Apps far from the screen are released, so only some of them run.
  ...(turns.live === 0 ? [`none of ${turns.apps} apps was alive at the end`] : []),
];
