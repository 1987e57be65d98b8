import { expect, it } from "vitest";
import { ownCommand } from "./own-command.js";

const cwd = "/home/ana/vitrine";
const started = (env: Record<string, string>) => ownCommand({ cwd, env });

it("an installed program is run by its name, in any folder", () => {
  expect(started({})).toEqual({ words: ["vitrine"] });
});

it.each([
  ["npm start", "npm/11.6.0 node/v22.21.1 linux x64", ["npx", "vitrine"]],
  ["pnpm start", "pnpm/10.20.0 npm/? node/v22.21.1 linux x64", ["pnpm", "exec", "vitrine"]],
  ["yarn start", "yarn/4.10.3 npm/? node/v22.21.1 linux x64", ["yarn", "vitrine"]],
  ["bun start", "bun/1.3.1 npm/? node/v24.3.0 linux x64", ["bunx", "vitrine"]],
  ["another package manager", "cnpm/1", ["npx", "vitrine"]],
])("%s: the manager runs it, in this folder", (_how, agent, words) => {
  expect(started({ npm_lifecycle_event: "start", npm_config_user_agent: agent })).toEqual({
    words,
    folder: cwd,
  });
});
