// A server made of folders, tools/ and ui/, over stdio or, with `--http`, over HTTP.
import { discover } from "@vitrine/server/discovery";

const found = await discover({
  root: new URL(".", import.meta.url),
  name: "weather-server",
  version: "1.0.0",
});
const { url } = await found.serve();
if (url) process.stderr.write(`${url}\n`);
