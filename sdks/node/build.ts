/**
 * Writes the package's `dist`: ESM and CommonJS, each with its own types. `node build.ts [folder]`.
 * The code has no comments, but the types do, because an editor shows them.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const dist = resolve(process.argv[2] ?? join(here, "dist"));
const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

const FORMATS = {
  esm: [],
  // A `require` loads CommonJS. `bundler` only controls how the compiler finds files, and changes nothing in them.
  cjs: ["--module", "commonjs", "--moduleResolution", "bundler"],
};

rmSync(dist, { recursive: true, force: true });
for (const [format, options] of Object.entries(FORMATS)) {
  const outDir = join(dist, format);
  compile([...options, "--outDir", outDir, "--removeComments", "--declaration", "false"]);
  compile([...options, "--outDir", outDir, "--emitDeclarationOnly"]);
  pointTypesAtFiles(outDir);
}
writeFileSync(join(dist, "cjs", "package.json"), '{ "type": "commonjs" }\n');

function compile(options: readonly string[]): void {
  execFileSync(process.execPath, [compiler, "-p", join(here, "tsconfig.build.json"), ...options], { stdio: "inherit" });
}

/** Replaces `./x.ts` in types. The compiler rewrites it only in code, and older compilers do not find such files. */
function pointTypesAtFiles(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue;
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/( from "\.{1,2}\/[\w./-]+)\.ts"/g, '$1.js"'));
  }
}
