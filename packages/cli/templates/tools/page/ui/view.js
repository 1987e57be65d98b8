const app = new vitrine.App({ name: "my-tool", version: "1.0.0" });
const status = document.querySelector("p");

// What the tool said in words; its data is `structuredContent`.
app.ontoolresult = ({ content }) => {
  status?.replaceChildren(content.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
};
await app.connect();
