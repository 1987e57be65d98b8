const app = /** @type {ViewOf<"greet">} */ (new vitrine.App({ name: "my-app", version: "1.0.0" }));
const heading = document.querySelector("h1");
const input = document.querySelector("input");

/** @param {{ structuredContent?: Tools["greet"]["result"] }} result */
function show({ structuredContent }) {
  heading?.replaceChildren(structuredContent?.greeting ?? "Nobody was greeted.");
}

/** Calls the tool from the page. */
async function greet() {
  if (!input?.value) return;
  try {
    show(await app.callServerTool({ name: "greet", arguments: { name: input.value } }));
  } catch (error) {
    heading?.replaceChildren(String(error));
  }
}

document.querySelector("button")?.addEventListener("click", greet);
input?.addEventListener("keydown", ({ key }) => {
  if (key === "Enter") greet();
});
app.ontoolresult = show;
await app.connect();
