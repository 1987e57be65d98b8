/** Runs before a view's document that is served directly. */
import { prelude } from "./prelude.js";

const script = document.currentScript as HTMLScriptElement;
prelude({ ...script.dataset });
script.remove();
