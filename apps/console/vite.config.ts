import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import type { Plugin } from "vite";

const service = process.env["JUNCTION_CONSOLE_SERVICE"] ?? "http://127.0.0.1:4000";
const PROXIED = [
  "/v1",
  "/api",
  "/inbox",
  "/docs",
  "/openapi.json",
  "/version",
  "/livez",
  "/readyz",
  "/mcp",
  "/oauth",
  "/.well-known",
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [englishOnly(), react(), tailwindcss()],
  // The service puts a new one in for each request.
  html: { cspNonce: "JUNCTION_CSP_NONCE" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    manifest: "manifest.json",
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: {
    port: 4100,
    strictPort: true,
    proxy: Object.fromEntries(PROXIED.map((path) => [path, { target: service, changeOrigin: true }])),
  },
});

/** The console speaks English; React Aria brings its few words in 30 languages, a third of what it weighs. */
function englishOnly(): Plugin {
  const locale = /(?:^|\/)[a-z]{2}-[A-Z]{2}\.m?js$/;
  return {
    name: "english-only",
    enforce: "pre",
    resolveId: {
      filter: { id: locale },
      handler: (id, importer) =>
        importer?.includes("react-") === true && !id.includes("en-US") ? "\0no-locale" : undefined,
    },
    load: { filter: { id: /^\0no-locale$/ }, handler: () => "export default {};" },
  };
}
