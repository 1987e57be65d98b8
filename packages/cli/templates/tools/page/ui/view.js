const app = new vitrine.App({ name: "my-tool", version: "1.0.0" });
const status = document.querySelector("p");

// Shows the text of the result. The data is in `structuredContent`.
app.ontoolresult = ({ content }) => {
  status?.replaceChildren(content.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
};
await app.connect();
