import { createRoot } from "react-dom/client";
import { Conversation } from "./react.js";

const input = {};
createRoot(document.querySelector("main") ?? document.body).render(<Conversation input={input} />);
