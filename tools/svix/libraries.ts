import { cp, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { cachedAlone, digestOf } from "../cached.ts";
import { go } from "../go.ts";
import { installedPackages } from "../npm-install.ts";
import { pythonEnvironment } from "../python.ts";
import { must } from "../run.ts";

/** The generations of the official libraries of Svix. Only tests need them, so that the repository does not depend on them. */
export const GENERATIONS = ["1", "2"] as const;
export type Generation = (typeof GENERATIONS)[number];

/** Returns the library of the npm registry; undefined where the registry cannot be reached. */
export async function nodeLibrary(generation: Generation): Promise<unknown> {
  const home = await installedPackages("svix", at("node/"));
  if (home === undefined) return undefined;
  const main = generation === "1" ? "dist/index.js" : "dist/index.mjs";
  return await import(pathToFileURL(join(home, "node_modules", `svix-${generation}`, main)).href);
}

/**
 * A program that makes every call with one library. With an address, a token, a token without calls left and a receiver, it prints as JSON
 * what it got. With `verify`, a secret, a body and headers, it ends with 0 if the library verifies them.
 */
export interface Program {
  readonly program: string;
  readonly args: readonly string[];
}

const MINUTES_20 = 1_200_000;

/** The library of a language, and how its program is made. */
export interface Library {
  readonly name: string;
  /** A command that succeeds where the program can be built. */
  readonly needs: readonly [program: string, ...args: string[]];
  /** Builds the program in the user's cache folder on the first call. */
  build(): Promise<Program>;
}

/** The registry of Go has no second generation. */
export const LIBRARIES: readonly Library[] = [
  { name: "PyPI svix 1", needs: ["python3", "--version"], build: async () => await python("1") },
  { name: "PyPI svix 2", needs: ["python3", "--version"], build: async () => await python("2") },
  { name: "Go svix 1", needs: ["sh", "-c", "true"], build: goCalls },
  { name: "Maven svix 1", needs: ["sh", "-c", "mvn --version && javac -version"], build: java },
];

async function python(generation: Generation): Promise<Program> {
  const requirements = at(`requirements-${generation}.txt`);
  const environment = await pythonEnvironment({ name: `svix-${generation}`, requirements });
  return { program: environment.program("python"), args: [at("calls.py")] };
}

async function goCalls(): Promise<Program> {
  const home = await built("go", ["go.mod", "go.sum", "main.go"], async (draft) => {
    const { program, env } = await go();
    const free = { ...process.env, ...env, GOTOOLCHAIN: "local", GOFLAGS: "-buildvcs=false", GOWORK: "off" };
    await must(program, ["build", "-mod=readonly", "-o", "calls"], { cwd: draft, env: free, timeout: MINUTES_20 });
  });
  return { program: join(home, "calls"), args: [] };
}

async function java(): Promise<Program> {
  const home = await built("java", ["pom.xml", "Calls.java"], async (draft) => {
    const args = ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${join(draft, "lib")}`];
    await must("mvn", args, { cwd: draft, timeout: MINUTES_20 });
    await must("javac", ["-d", draft, "-cp", join(draft, "lib/*"), join(draft, "Calls.java")]);
  });
  const path = [home, join(home, "lib/*")].join(delimiter);
  return { program: "java", args: ["-XX:TieredStopAtLevel=1", "-cp", path, "Calls"] };
}

async function built(
  folder: string,
  files: readonly string[],
  build: (draft: string) => Promise<void>,
): Promise<string> {
  const contents = await Promise.all(files.map(async (file) => await readFile(join(at(folder), file))));
  return await cachedAlone(`svix/${folder}-${digestOf(...contents)}`, async (draft) => {
    await cp(at(folder), draft, { recursive: true });
    await build(draft);
  });
}

function at(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
