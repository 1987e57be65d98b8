import { discover } from "@vitrine/server/discovery";
import { rating } from "./rating.js";

const found = await discover({
  root: new URL(".", import.meta.url),
  name: "shop",
  version: "1.0.0",
  templates: [rating],
});
await found.serve();
