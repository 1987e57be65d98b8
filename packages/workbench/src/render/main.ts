/**
 * The page in which `vitrine render` shows an app.
 *
 * @module
 */
import "@vitrine/host/define";
import "./render.css";
import { PROFILES } from "../model/profiles/profiles.js";
import { Rendering } from "./rendering.js";

// A page that nobody looks at opens no others: that an app may open a link does not mean that it is visited.
window.open = () => null;

Object.assign(globalThis, { vitrineRender: new Rendering(PROFILES) });
