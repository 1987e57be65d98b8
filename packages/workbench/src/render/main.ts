/**
 * The page in which `vitrine render` shows an app.
 *
 * @module
 */
import "@vitrine/host/define";
import "./render.css";
import { PROFILES } from "../model/profiles/profiles.js";
import { Rendering } from "./rendering.js";

// An unattended page opens no windows: permission to open a link does not mean visiting it.
window.open = () => null;

Object.assign(globalThis, { vitrineRender: new Rendering(PROFILES) });
