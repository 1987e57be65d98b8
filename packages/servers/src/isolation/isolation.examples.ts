import { probeDrivers } from "./drivers.js";
import { launch } from "./launch.js";

export async function launchExample() {
  //#region launch
  const server = await launch({
    name: "files",
    command: "node",
    args: ["/opt/some-server/server.js", "/srv/documents"],
    env: { LANG: "en" },
    isolation: {
      driver: "auto",
      network: false,
      read: ["/srv/documents"],
      write: [],
      memory: 512 * 2 ** 20,
      processes: 64,
      tmp: 64 * 2 ** 20,
    },
  });
  server.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  // Later: ends it and its child processes.
  await server.stop();
  //#endregion launch
}

export async function probeDriversExample(show: (line: string) => void) {
  //#region probeDrivers
  for (const [driver, report] of Object.entries(await probeDrivers())) {
    show(`${driver}: ${report.works ? report.detail : report.reason}`);
  }
  //#endregion probeDrivers
}
