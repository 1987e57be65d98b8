// Everything that this server offers is in tools/ and ui/. `vitrine dev` shows saved changes at once.
import { discover } from "@vitrine/server/discovery";

const found = await discover({
  root: new URL(".", import.meta.url),
  name: "discovery",
  version: "1.0.0",
});
await found.serve();
