/**
 * Builds the console into apps/console/dist when its sources have changed: `node tools/console/build.ts`.
 * Each file is also written compressed, so that the service never compresses during a request.
 */
import { globSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { BuildEnvironmentOptions, Rolldown } from "vite";
import type { Pages } from "../../apps/service/src/server/console/console.ts";
import { dist, fingerprint, folder, isBuilt, STAMP } from "./fingerprint.ts";
import { closure, HOME, PAGE, readManifest, SHELL, SIGN_IN } from "./manifest.ts";
import { consoleRoutes } from "./routes.ts";

/** The name of the script that defines the portal's element. */
const ELEMENT = "junction-portal";
/** Selects the modules that every page of the portal needs. They are one file, because sixteen small ones take five kilobytes more. */
const PORTAL_BASE = new RegExp(
  [
    String.raw`/node_modules/(?:react|react-dom|scheduler|@tanstack/(?:query-core|react-query))/`,
    String.raw`/src/(?:session/|portal/(?!element)|api/(?!.*snippets)|paths\.ts)`,
    String.raw`/src/ui/(?:badge|button|class-names|copy|layout|link|navigation|show-as|spinner|states|table|title|toast|url-state)\.tsx?$`,
  ].join("|"),
);
const COMPRESSED = /\.(?:js|css|svg|html)$/;
/** Compressing a smaller file would not save a packet. */
const LEAST_BYTES = 1024;
/** The best compression of a larger file takes ten seconds. */
const LARGE_BYTES = 1024 * 1024;

const wanted = await fingerprint();
if (!(await isBuilt(wanted))) {
  process.stderr.write("junction: building the console\n");
  const begun = performance.now();
  await buildAside(wanted);
  process.stderr.write(`junction: console built in ${((performance.now() - begun) / 1000).toFixed(0)} s\n`);
}

/** Builds into a temporary folder and moves it into place, so that a running service never sees a partial build. */
async function buildAside(print: string): Promise<void> {
  const aside = join(folder, `dist.${process.pid}`);
  // Tests, developers and users get the same build.
  process.env["NODE_ENV"] = "production";
  try {
    await bundle({ outDir: aside, rolldownOptions: { output: { codeSplitting: { groups: await sharedChunks() } } } });
    const paints = await firstPaints(aside);
    await writeFile(
      join(aside, "pages.json"),
      JSON.stringify({ paints, routes: await pagesOf(aside) } satisfies Pages),
    );
    await inlineStyles(join(aside, "index.html"), aside);
    await buildPortal(join(aside, "portal"));
    const { writeDocsAssets } = await import("./docs-assets.ts");
    await writeDocsAssets(aside);
    await compressAll(aside);
    await writeFile(join(aside, STAMP), print);
    await rm(dist, { recursive: true, force: true });
    await rename(aside, dist);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/**
 * Builds the portal on its own, so that its files contain nothing of the console that it does not use. Its element is a script
 * with a fixed name, which other sites name in their pages.
 */
async function buildPortal(output: string): Promise<void> {
  const entryFileNames = ({ name }: { readonly name: string }): string =>
    name === ELEMENT ? "[name].js" : "assets/[name]-[hash].js";
  const codeSplitting = { groups: [{ name: "base", test: PORTAL_BASE }] };
  const input = { portal: join(folder, "portal.html"), [ELEMENT]: absolute("src/portal/element.ts") };
  await bundle(
    { outDir: output, copyPublicDir: false, rolldownOptions: { input, output: { entryFileNames, codeSplitting } } },
    "/portal/",
  );
  await rename(join(output, "portal.html"), join(output, "index.html"));
  await wrapElement(join(output, `${ELEMENT}.js`));
  await inlineStyles(join(output, "index.html"), dirname(output));
}

/** Makes a module without imports a plain script whose names do not meet those of the page that loads it. */
async function wrapElement(file: string): Promise<void> {
  const code = (await readFile(file, "utf8")).replace(/export\s*\{\s*\};?\s*$/, "");
  if (/^\s*(?:import|export)\b/m.test(code)) throw new Error(`${ELEMENT}.js must neither import nor export`);
  await writeFile(file, `(()=>{"use strict";${code}})();\n`);
}

async function pagesOf(output: string): Promise<Pages["routes"]> {
  const manifest = await readManifest(output);
  const page = closure(manifest, PAGE);
  const shell = closure(manifest, SHELL);
  return (await consoleRoutes()).map(({ path, module, isPublic }) => {
    const own = closure(manifest, module);
    const needed = (isPublic ? own : own.union(shell)).difference(page);
    return { path, isPublic, preloads: [...needed].map((name) => `/${manifest[name]?.file ?? ""}`) };
  });
}

/**
 * Groups the first load into three files: the page's own, the additional modules of the sign-in page, and the shell with the home page.
 * By default, the bundler makes fifty files, one for each set of screens that share something, and a browser requests six at a time.
 * Only the bundler knows which modules these are, so a first run collects them.
 */
async function sharedChunks(): Promise<Rolldown.CodeSplittingGroup[]> {
  const { output } = await bundle({ write: false });
  const chunks = new Map<string, Rolldown.OutputChunk>();
  for (const one of output) if (one.type === "chunk") chunks.set(one.fileName, one);
  const modulesOf = (source: string, seen = new Set<string>()): Set<string> => {
    const chunk = [...chunks.values()].find(({ facadeModuleId }) => facadeModuleId === absolute(source));
    if (chunk === undefined) throw new Error(`the bundler made nothing of ${source}`);
    const walk = ({ fileName, imports }: Rolldown.OutputChunk): void => {
      if (seen.has(fileName)) return;
      seen.add(fileName);
      for (const one of imports) walk(chunks.get(one) ?? chunk);
    };
    walk(chunk);
    return new Set([...seen].flatMap((name) => chunks.get(name)?.moduleIds ?? []));
  };
  const page = modulesOf(PAGE);
  const plain = modulesOf(SIGN_IN).difference(page);
  const shell = modulesOf(SHELL).union(modulesOf(HOME)).difference(page.union(plain));
  // The lazy modules themselves stay out, because the manifest names each by its own file.
  for (const lazy of [SIGN_IN, SHELL, HOME]) for (const modules of [plain, shell]) modules.delete(absolute(lazy));
  const groups = Object.entries({ page, plain, shell });
  return groups.map(([name, modules], at) => ({ name, test: (id) => modules.has(id), priority: groups.length - at }));
}

function absolute(source: string): string {
  return join(folder, source);
}

async function bundle(options: BuildEnvironmentOptions, base = "/"): Promise<Rolldown.RolldownOutput> {
  // Vite is loaded only for a build, because every start checks whether a build is needed.
  const { build } = await import("vite");
  const config = { root: folder, base, configFile: join(folder, "vite.config.ts"), logLevel: "warn" } as const;
  return (await build({ ...config, build: options })) as Rolldown.RolldownOutput;
}

/** Renders the first paints with the console's own components. */
async function firstPaints(output: string): Promise<Pages["paints"]> {
  const own = join(output, "first-paint");
  await bundle({ ssr: "src/first-paint.tsx", outDir: own, manifest: false, copyPublicDir: false });
  // The components read a browser's storage, which is empty here.
  const storage = { getItem: () => null, setItem: () => undefined };
  for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(globalThis, name, { value: storage });
  const made = (await import(pathToFileURL(join(own, "first-paint.js")).href)) as {
    firstPaints: () => Pages["paints"];
  };
  await rm(own, { recursive: true });
  return made.firstPaints();
}

/** Inlines the styles, because a page shows nothing while it waits for another file of nine kilobytes. `site` is the folder of `/`. */
async function inlineStyles(page: string, site: string): Promise<void> {
  const html = await readFile(page, "utf8");
  const [tag = "", file = ""] = /<link rel="stylesheet"[^>]*href="\/([^"]+)"[^>]*>/.exec(html) ?? [];
  if (file === "") throw new Error("the page of the build names no styles");
  const styles = await readFile(join(site, file), "utf8");
  await writeFile(
    page,
    html.replace(tag, () => `<style nonce="JUNCTION_CSP_NONCE">${styles}</style>`),
  );
}

async function compressAll(of: string): Promise<void> {
  const files = globSync("**/*", { cwd: of });
  await Promise.all(files.filter((file) => COMPRESSED.test(file)).map(async (file) => await compress(join(of, file))));
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < LEAST_BYTES) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: bytes.length > LARGE_BYTES ? 6 : 10,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
