/**
 * Builds the console into apps/console/dist when what it is made from has changed: `node tools/console/build.ts`.
 * Each file is also written compressed, so that the service never compresses while somebody waits.
 */
import { hash } from "node:crypto";
import { globSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "apps/console");
const dist = join(folder, "dist");
const stamp = "built-from";
const SOURCES = ["index.html", "package.json", "vite.config.ts", "public/**/*.*", "src/**/*.{ts,tsx,css}"];
const TESTS = /(?:\.test\.ts|src\/testing\/.*)$/;
const COMPRESSED = /\.(?:js|css|svg|html)$/;
/** Smaller, it would not save a packet. */
const LEAST_BYTES = 1024;

const wanted = await fingerprint();
const built = await readFile(join(dist, stamp), "utf8").catch(() => "");
if (built !== wanted) {
  process.stderr.write("junction: building the console ...\n");
  const begun = performance.now();
  await buildAside(wanted);
  process.stderr.write(`junction: the console was built in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
}

/** Built beside and moved into place, so that a service that runs never sees half of it. */
async function buildAside(print: string): Promise<void> {
  const aside = join(folder, `dist.${process.pid}`);
  // Loaded when it is needed: every start asks whether there is something to build.
  const { build } = await import("vite");
  // Whoever asks for it, a test or a developer: there is one build, and it is what users get.
  process.env["NODE_ENV"] = "production";
  try {
    await build({
      root: folder,
      configFile: join(folder, "vite.config.ts"),
      logLevel: "warn",
      build: { outDir: aside },
    });
    await writeFile(join(aside, "preloads.json"), JSON.stringify(await preloadsOf(aside)));
    await compressAll(aside);
    await writeFile(join(aside, stamp), print);
    await rm(dist, { recursive: true, force: true });
    await rename(aside, dist);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

/**
 * What each route needs beside the page's own script, so that the page can name it and the browser need not find it out step by
 * step: the route's path, to paths of files.
 */
async function preloadsOf(output: string): Promise<Record<string, string[]>> {
  const manifest = JSON.parse(await readFile(join(output, "manifest.json"), "utf8")) as Record<string, Chunk>;
  const routes = await readFile(join(folder, "src/routes.ts"), "utf8");
  const [ofNobody = "", ofMembers = ""] = routes.split("export const routes");
  const page = closure(manifest, "index.html");
  const shell = closure(manifest, "src/shell/layout.tsx");
  const filesOf = (source: string, more: ReadonlySet<string>): [string, string[]][] =>
    [...source.matchAll(/path: "([^"]+)", load: async \(\) => await import\("\.\/([^"]+)"\)/g)].map(
      ([, path = "", module = ""]) => {
        const needed = closure(manifest, `src/${module}`).union(more).difference(page);
        return [path, [...needed].map((name) => `/${manifest[name]?.file ?? ""}`)];
      },
    );
  return Object.fromEntries([...filesOf(ofNobody, new Set()), ...filesOf(ofMembers, shell)]);
}

/** A chunk's name with those of all that it imports at once. */
function closure(manifest: Readonly<Record<string, Chunk>>, name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name) || manifest[name] === undefined) return seen;
  seen.add(name);
  for (const one of manifest[name].imports ?? []) closure(manifest, one, seen);
  return seen;
}

async function compressAll(of: string): Promise<void> {
  const files = globSync("**/*", { cwd: of });
  await Promise.all(files.filter((file) => COMPRESSED.test(file)).map(async (file) => await compress(join(of, file))));
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < LEAST_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

async function fingerprint(): Promise<string> {
  const found = globSync(SOURCES, { cwd: folder });
  const files = found.filter((file) => !TESTS.test(file)).toSorted();
  const parts = await Promise.all(
    [...files.map((file) => join(folder, file)), join(root, "package-lock.json"), fileURLToPath(import.meta.url)].map(
      async (file) => `${file.slice(root.length)} ${hash("sha256", await readFile(file))}`,
    ),
  );
  return hash("sha256", parts.join("\n"));
}
