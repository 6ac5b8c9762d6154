import { dirname, resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";

const src = resolve(import.meta.dirname, "src");
// Where a page on disk has no server, the answers come from the file itself.
const INSTEAD: Record<string, string> = {
  "api/client": "export/client.ts",
  "live/clock": "export/clock.ts",
  "live/connect": "export/connect.ts",
  "live/notify": "export/notify.ts",
  "numbers/spans": "export/spans.ts",
};

function fromTheFile(): Plugin {
  return {
    name: "from-the-file",
    enforce: "pre",
    resolveId(source, importer) {
      if (!importer || !source.startsWith(".") || importer.startsWith(resolve(src, "export"))) return null;
      const wanted = resolve(dirname(importer), source).slice(src.length + 1);
      const found = INSTEAD[wanted];
      return found ? resolve(src, found) : null;
    },
  };
}

/** One script without imports, since a browser loads no module from disk; one sheet. */
export default defineConfig({
  plugins: [fromTheFile()],
  build: {
    outDir: "../src/folkmoot/doors/web/built",
    emptyOutDir: false,
    target: "es2023",
    reportCompressedSize: false,
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: {
      input: resolve(src, "export/main.tsx"),
      output: { format: "iife", codeSplitting: false, entryFileNames: "export.js", assetFileNames: "export[extname]" },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
