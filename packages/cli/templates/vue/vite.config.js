import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [vue()],
  base: "./",
  resolve: { dedupe: ["vue"] },
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
