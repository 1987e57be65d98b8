import { scrub } from "./scrub.js";
import { watchPaths } from "./watch-paths.js";

export function scrubExample() {
  //#region scrub
  const text = scrub("GET https://as.example/token?code=4711 failed");
  // "GET https://as.example/token?[removed] failed"
  //#endregion scrub
  return text;
}

export async function watchPathsExample(restart: (file: string) => Promise<void>) {
  //#region watchPaths
  const watch = await watchPaths(["/srv/shop/src", "/srv/shop/settings.json"], {
    changed: (file) => restart(file),
    quiet: 200,
  });
  // Later:
  await watch.close();
  //#endregion watchPaths
}
