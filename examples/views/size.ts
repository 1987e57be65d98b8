import { App } from "@vitrine/view";

const app = new App({ name: "weather", version: "1.0.0" }, {}, { autoResize: false });
await app.connect();
const { scrollWidth: width, scrollHeight: height } = document.body;
await app.sendSizeChanged({ width, height });
// Or start automatic reports at any time; call the returned function to stop.
const stop = app.setupSizeChangedNotifications();
addEventListener("pagehide", stop);
