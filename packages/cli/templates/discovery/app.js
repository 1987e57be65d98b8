import { discover } from "@vitrine/server/discovery";

// Finds the tools and views in the folders `tools` and `ui`.
export const found = await discover({
  root: new URL(".", import.meta.url),
  name: "my-app",
  version: "1.0.0",
});
