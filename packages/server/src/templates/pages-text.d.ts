/** The pages of the templates, bundled: made by `build.mjs`. */
export declare const PAGES: Readonly<Record<string, { readonly script: string; readonly style: string }>>;
