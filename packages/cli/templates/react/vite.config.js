import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  resolve: { dedupe: ["react", "react-dom"] },
  build: {
    // The server reads `dist` at any time: files are replaced, and never missing.
    emptyOutDir: false,
    modulePreload: false,
    rollupOptions: {
      // One script, which the server puts into the page.
      output: {
        inlineDynamicImports: true,
        entryFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
});
