/** The React page of `npm start`, at `/react`: a conversation with every app. */
import { createRoot } from "react-dom/client";
import { Conversation } from "./react.js";

const input = { city: "Lisbon" };
createRoot(document.body).render(<Conversation input={input} />);
