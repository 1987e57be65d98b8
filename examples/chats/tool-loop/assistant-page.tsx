import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./assistant.js";

createRoot(document.querySelector("main") ?? document.body).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
);
