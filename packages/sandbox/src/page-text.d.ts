/** Minified classic scripts, built by build.mjs from `page/`. */
export const PROXY: string;
export const DIRECT: string;
export const LOADER: string;
export const CONSOLE: string;
export const WHY: string;
export const SHIM: string;
