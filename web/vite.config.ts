import { build, defineConfig, type Plugin } from "vite";

/** The same page once more as one script and one sheet, for boards that are saved as a file. */
function alsoForFiles(): Plugin {
  let outDir = "";
  return {
    name: "also-for-files",
    apply: "build",
    configResolved: (config) => void (outDir = config.build.outDir),
    closeBundle: async () => void (await build({ configFile: "vite.export.config.ts", logLevel: "error", build: { outDir } })),
  };
}

/** A part that is fetched later is called by its folder, too: there are several `page.tsx`. */
const partName = (chunk: { name: string; facadeModuleId: string | null }) =>
  `assets/${[chunk.facadeModuleId?.split("/").at(-2), chunk.name].filter(Boolean).join("-")}.js`;

// The build goes into the Python package: whoever installs Folkmoot needs no Node.
export default defineConfig({
  plugins: [alsoForFiles()],
  base: "/",
  build: {
    outDir: "../src/folkmoot/doors/web/built",
    emptyOutDir: true,
    assetsDir: "assets",
    modulePreload: { polyfill: false }, // it would be an inline script, which the page forbids
    target: "es2023",
    reportCompressedSize: false,
    // Names that stay: a change of the page is a change of these files. The server has browsers ask whether they are new.
    rollupOptions: {
      output: { entryFileNames: "assets/[name].js", chunkFileNames: partName, assetFileNames: "assets/[name][extname]" },
    },
  },
  worker: { format: "es", rollupOptions: { output: { entryFileNames: "assets/[name].js" } } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
