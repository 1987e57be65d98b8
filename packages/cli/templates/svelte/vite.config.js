import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [svelte()],
  base: "./",
  resolve: { dedupe: ["svelte"] },
  build: {
    // The server may read `dist` at any time, so a build overwrites files and never deletes them.
    emptyOutDir: false,
    modulePreload: false,
    rollupOptions: {
      // A script, which the server inlines into the page.
      output: {
        inlineDynamicImports: true,
        entryFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
});
