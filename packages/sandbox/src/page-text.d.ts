/** Made by build.mjs from `page/`: minified classic scripts. */
export const PROXY: string;
export const DIRECT: string;
export const LOADER: string;
export const CONSOLE: string;
