// A server that is folders: tools/ and ui/. By stdio, or with `--http` by HTTP.
import { discover } from "@vitrine/server/discovery";

const found = await discover({
  root: new URL(".", import.meta.url),
  name: "weather-server",
  version: "1.0.0",
});
const { url } = await found.serve();
if (url) process.stderr.write(`${url}\n`);
