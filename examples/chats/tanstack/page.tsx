import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./tanstack.js";

createRoot(document.querySelector("main") ?? document.body).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
);
