import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  resolve: { dedupe: ["react", "react-dom"] },
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
