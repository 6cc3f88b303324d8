import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../src/bascule/web/static",
    emptyOutDir: true,
    target: "es2022",
    // The page may load nothing inline: no data: scripts, no inlined preload helper with eval.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": "http://127.0.0.1:7440", "/login": "http://127.0.0.1:7440", "/ws": { target: "ws://127.0.0.1:7440", ws: true } } },
  test: { include: ["test/**/*.test.{ts,tsx}"], environment: "node", env: { TZ: "UTC" } },
});
