/** Before a view's document that is served as it is. */
import { prelude } from "./prelude.js";

prelude();
document.currentScript?.remove();
