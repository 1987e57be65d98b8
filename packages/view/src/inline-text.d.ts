/** The prebuilt inline script; `build.mjs` builds it from `inline.ts`. */
export declare const INLINE: string;
