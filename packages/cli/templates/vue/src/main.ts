import { createApp } from "vue";
import View from "./View.vue";
import "./view.css";

createApp(View).mount(document.body.appendChild(document.createElement("main")));
