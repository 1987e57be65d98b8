/** A gateway inside a program, with a settings file that may change while it runs. */
//#region watch
import { startGateway, watchSettings } from "@vitrine/gateway";

const watch = await watchSettings(
  "mcp.json",
  async (settings) => {
    (await starting).update(settings);
  },
  { onerror: (error) => console.error(error.message) },
);
// A change during the start is applied as soon as the gateway runs.
const starting = startGateway(watch.current);
const gateway = await starting;
console.log(gateway.loginUrl());
process.once("SIGTERM", async () => {
  watch.close();
  await gateway.close();
});
//#endregion watch
