import { discover } from "@vitrine/server/discovery";

// All tools and views are in the folders tools and ui.
export const found = await discover({
  root: new URL(".", import.meta.url),
  name: "my-app",
  version: "1.0.0",
});
