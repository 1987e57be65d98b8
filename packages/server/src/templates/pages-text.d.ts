/** The bundled pages of the templates; `build.mjs` builds them. */
export declare const PAGES: Readonly<Record<string, { readonly script: string; readonly style: string }>>;
