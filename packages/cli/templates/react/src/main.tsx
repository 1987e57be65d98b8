import { createRoot } from "react-dom/client";
import { View } from "./view.tsx";
import "./view.css";

createRoot(document.body.appendChild(document.createElement("main"))).render(<View />);
