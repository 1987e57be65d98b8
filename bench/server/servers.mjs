/**
 * Servers written with `@vitrine/server`: their speed, the size of the templates' documents, and the size of
 * the installation.
 *
 * @module
 */
import { httpShortfalls, measureHttp, showHttp } from "./http.mjs";
import { installShortfalls, measureInstall, showInstall } from "./install.mjs";
import { measureStdio, showStdio, stdioShortfalls } from "./stdio.mjs";
import { measureTemplates, showTemplates, templateShortfalls } from "./templates.mjs";

/** Runs all measurements; the servers in turn, `rounds` times. */
export const measureServers = async (rounds = 8) => ({
  stdio: await measureStdio(rounds),
  http: await measureHttp(rounds),
  templates: measureTemplates(),
  install: await measureInstall(),
});

export const showServers = ({ stdio, http, templates, install }) =>
  [showStdio(stdio), showHttp(http), showTemplates(templates), showInstall(install)].join("\n\n");

/** Returns one line for each expectation that is not met. */
export const serverShortfalls = ({ stdio, http, templates, install }) => [
  ...stdioShortfalls(stdio),
  ...httpShortfalls(http),
  ...templateShortfalls(templates),
  ...installShortfalls(install),
];
