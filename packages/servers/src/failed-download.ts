/**
 * Explains why npm could not download a server.
 *
 * @module
 */

/** The code and the following lines of npm's report. */
const CODE = /^npm (?:error|ERR!) code (\w+)$/m;
const ADDRESS = /request to (https?:\/\/[^\s,]+) failed/;
const FOLDER = /^npm (?:error|ERR!) path (\S+)$/m;

const UNREACHABLE = new Set(
  "ECONNREFUSED ECONNRESET EAI_AGAIN EAI_FAIL ENOTFOUND ENETUNREACH EHOSTUNREACH ETIMEDOUT ERR_SOCKET_TIMEOUT EIDLETIMEOUT".split(
    " ",
  ),
);
const UNWRITABLE = new Set(["EACCES", "EPERM", "EROFS", "ENOENT"]);
const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_/;

/** The cause and the setting to change; undefined if npm reports no failed download at the end of `stderr`. */
export function explainDownload(stderr: string): string | undefined {
  const [, code = ""] = CODE.exec(stderr) ?? [];
  const [, address] = ADDRESS.exec(stderr) ?? [];
  const [, folder = ""] = FOLDER.exec(stderr) ?? [];
  const registry = address === undefined ? "the registry" : originOf(address);
  if (UNREACHABLE.has(code))
    return `npm cannot reach ${registry} (${code}). Set "isolation": { "network": true } for the server; for another registry or a proxy, add "npm_config_registry" or "npm_config_https_proxy" to its "env"`;
  if (code === "ENOTCACHED")
    return 'its package is not in npm\'s cache, and npm may not download it. Remove "--offline" and set "isolation": { "network": true }, or install the package';
  if (code === "E404" || code === "ETARGET")
    return `${registry} does not have its package or this version of it. Correct the name in "args"; for another registry, add "npm_config_registry" to its "env"`;
  if (UNTRUSTED.test(code))
    return `the certificate of ${registry} is not trusted (${code}). Add "NODE_EXTRA_CA_CERTS" with your authority's file to its "env", and the file to "isolation.read"`;
  if (code === "ENOSPC")
    return 'its private /tmp has no room for the download. Raise "isolation.tmp", or install the package';
  if (UNWRITABLE.has(code) && folder.includes("npm"))
    return `npm cannot write to ${folder} (${code}). Add the folder to "isolation.write", or remove "npm_config_cache" from its "env"`;
  return undefined;
}

const originOf = (address: string): string => (URL.canParse(address) ? new URL(address).origin : address);
