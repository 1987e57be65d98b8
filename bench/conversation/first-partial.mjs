/**
 * The time from the first argument byte leaving the model's server until the app receives it.
 *
 * - shown: the app is ready, as with a model that names the tool and then thinks
 * - warm: the name and the first argument leave together, and the app's site was started before: another app
 * of the same server is open, so its process exists and its document was loaded once
 * - cold: the same, and it is the first app in a new browser context
 *
 * @module
 */
import { quantile, summary } from "../statistics.mjs";
import { calling, now, pause, saying } from "./model-server.mjs";

/** Milliseconds of idle time before the model starts, and of thinking after it has named a tool. */
const CALM = 300;
const THOUGHT = 1_500;

let count = 0;

async function sample(model, page, isShown) {
  const name = `partial${count++}`;
  let left;
  model.add(
    async (say) => {
      await pause(CALM);
      const begun = `{"text":"${name}:a`;
      if (isShown) {
        say.call("bench__draw");
        await pause(THOUGHT);
        left = now();
        say.arguments(begun);
      } else {
        left = now();
        say.call("bench__draw", begun);
      }
      await model.reported((each) => each.kind === "partial" && each.name === name, `the partial ${name}`);
      say.arguments(' drawing"}');
    },
    saying(`That was ${name}.`),
  );
  await page.evaluate(`bench.tell("Draw ${name}", "That was ${name}.")`);
  const { at, document, script } = await model.reported(
    (each) => each.kind === "partial" && each.name === name,
    name,
  );
  return { all: at - left, document: document - left, script: script - left };
}

/** The total of each sample, and the times when the app's document and its first script started. */
const summaryOf = (samples) => ({
  ...summary(samples.map(({ all }) => all)),
  document: quantile(
    samples.map((each) => each.document),
    0.5,
  ),
  script: quantile(
    samples.map((each) => each.script),
    0.5,
  ),
});

/** An app that stays open. */
async function open(model, page) {
  const name = `open${count++}`;
  model.add(calling("bench__draw", { text: `${name}: a drawing` }), saying(`That was ${name}.`));
  await page.evaluate(`bench.tell("Draw ${name}", "That was ${name}.")`);
  await model.reported((each) => each.kind === "result" && each.name === name, `the result ${name}`);
}

/** Takes so many warm samples, and a few cold ones. */
export async function measureFirstPartial({ model, ...stage }, browser, rounds) {
  const times = { shown: [], warm: [], cold: [] };
  const page = await stage.page(browser);
  await open(model, page);
  for (let round = 0; round < rounds; round++)
    for (const kind of ["warm", "shown"]) {
      times[kind].push(await sample(model, page, kind === "shown"));
      await page.evaluate("bench.remove()");
      await pause(CALM);
    }
  await page.close();
  for (let round = 0; round < Math.ceil(rounds / 3); round++) {
    const fresh = await stage.page(browser);
    times.cold.push(await sample(model, fresh, false));
    await fresh.close();
  }
  return {
    shown: summaryOf(times.shown),
    warm: summaryOf(times.warm),
    cold: summaryOf(times.cold),
  };
}
