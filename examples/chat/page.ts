import { apps, show } from "./chat.js";

/** Stands in for your model: replace it with the arguments that the model's API streams. */
async function* modelWrites(json: string): AsyncGenerator<string> {
  for (const letter of json) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    yield letter;
  }
}

for (const known of apps) {
  const app = document.createElement("mcp-app");
  document.querySelector("main")?.append(app);
  await show(app, known, modelWrites("{}"));
}
