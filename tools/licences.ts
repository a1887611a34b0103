import { productionOf } from "./sbom.ts";
import type { Installed, LockEntry, Lockfile } from "./sbom.ts";

const CONSOLE = "apps/console";
/** Development dependencies of the console that build or test it; the others are in what the browser loads. */
const CONSOLE_TOOLS = /^(?:@types\/|@vitejs\/|@tailwindcss\/|vite$|tailwindcss$|axe-core$|playwright-core$)/;

/** Packages in the built console, with everything that they depend on. */
export function consoleLibraries(lockfile: Lockfile): Installed[] {
  const { devDependencies = {} } = (lockfile[CONSOLE] ?? {}) as WithDevDependencies;
  const waiting = Object.keys(devDependencies).filter((name) => !CONSOLE_TOOLS.test(name));
  const found = new Map<string, Installed>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const path = `node_modules/${name}`;
    const entry = lockfile[path];
    if (entry === undefined || found.has(name)) continue;
    found.set(name, { ...entry, name, path });
    waiting.push(...Object.keys(entry.dependencies ?? {}));
  }
  return [...found.values()].filter(({ name }) => !name.startsWith("@types/"));
}

/** Every package that an installation consists of. */
export function shippedPackages(lockfile: Lockfile): Installed[] {
  return [...productionOf(lockfile), ...consoleLibraries(lockfile)];
}

interface WithDevDependencies extends Partial<LockEntry> {
  readonly devDependencies?: Readonly<Record<string, string>>;
}
