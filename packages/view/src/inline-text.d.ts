/** The prebuilt inline script; `build.mjs` makes it from `inline.ts`. */
export declare const INLINE: string;
