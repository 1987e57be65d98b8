import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Conversation } from "./react.js";

createRoot(document.querySelector("main") ?? document.body).render(
  <StrictMode>
    <Conversation />
  </StrictMode>,
);
