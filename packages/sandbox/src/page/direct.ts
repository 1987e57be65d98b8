/** Before a view's document that is served as it is. */
import { prelude } from "./prelude.js";

const script = document.currentScript as HTMLScriptElement;
prelude({ ...script.dataset });
script.remove();
