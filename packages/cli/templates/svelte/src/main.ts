import { mount } from "svelte";
import View from "./View.svelte";
import "./view.css";

mount(View, { target: document.body.appendChild(document.createElement("main")) });
