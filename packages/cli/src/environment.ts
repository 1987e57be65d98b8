/**
 * Environment variables for programs that the user names: the necessary ones, and those that the user adds.
 *
 * @module
 */
import { usage } from "./exit.js";

/**
 * Variables that the official client passes on, and those that control file locations and network access.
 * They are listed individually, because tools store credentials under similar names (`UV_PUBLISH_TOKEN`) and
 * in index URLs.
 */
const HANDED_ON =
  /^(?!.*(?:TOKEN|PASSWORD|SECRET|KEY))(HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|XDG_\w+_HOME|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(https?|no|all)_proxy|npm_config_(cache|registry|userconfig|prefix)|UV_(CACHE_DIR|CONFIG_FILE|LINK_MODE|NATIVE_TLS|OFFLINE|PROJECT_ENVIRONMENT|PYTHON|PYTHON_INSTALL_DIR|TOOL_DIR|TOOL_BIN_DIR)|PYTHONPATH|VIRTUAL_ENV)$/i;

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that every program gets, without exported shell functions. */
export const handedOn = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && HANDED_ON.test(entry[0]) && !entry[1].startsWith("()"),
    ),
  );

/**
 * Parses `--env NAME=VALUE`, or `--env NAME` for a variable of this terminal.
 *
 * @throws {CliError} `usage`
 */
export function addedVariables(words: readonly string[], env: Environment): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name = "", value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
      if (!name) throw usage(`--env: write NAME=VALUE, or NAME for a variable of this terminal`);
      const found = value ?? env[name];
      if (found === undefined) throw usage(`--env ${name}: it is not set; write ${name}=VALUE, or set it`);
      return [name, found];
    }),
  );
}
