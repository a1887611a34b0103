// Run after `npm install <package>`. A registry mirror that lacks the builds for some platforms makes npm leave them out
// of package-lock.json, and `npm ci` then refuses the lockfile on every platform. This adds the missing optional
// platform packages at the exact version their parent pins; npm fetches one only on the platform it is for.
// It also takes out which engines optional packages want: the machine's Node, which runs `npm ci`, may be older than the one
// that runs everything else, and npm leaves out without a word what is optional and not for it.
import { readFileSync, writeFileSync } from "node:fs";

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const platformName =
  /(?:^|[/-])(android|darwin|freebsd|linux|openharmony|win32|netbsd|openbsd|sunos|aix)-(arm64|arm|x64|ia32|ppc64|riscv64|s390x|loong64|mips64el)(?:-(gnu|musl))?/;
const exactVersion = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** The lockfile with an entry for every optional platform package pinned exactly by a package in it, and without the engines of optional ones. */
export function completed(lockfile: Lockfile): Lockfile {
  const missing = Object.entries(lockfile.packages).flatMap(([path, parent]) => missingOf(lockfile, path, parent));
  const all = [...Object.entries(lockfile.packages), ...missing].toSorted(byPath);
  return { ...lockfile, packages: Object.fromEntries(all.map(([path, found]) => [path, onAnyEngine(found)])) };
}

function onAnyEngine(locked: LockedPackage): LockedPackage {
  if (locked.optional !== true) return locked;
  return Object.fromEntries(Object.entries(locked).filter(([member]) => member !== "engines"));
}

function missingOf(lockfile: Lockfile, path: string, parent: LockedPackage): [string, LockedPackage][] {
  return Object.entries(parent.optionalDependencies ?? {}).flatMap(([name, version]) => {
    const platform = platformName.exec(name);
    const isLocked = `node_modules/${name}` in lockfile.packages || `${path}/node_modules/${name}` in lockfile.packages;
    if (isLocked || platform === null || !exactVersion.test(version)) return [];
    return [[`node_modules/${name}`, platformPackage(version, platform, parent.dev === true)]];
  });
}

function platformPackage(version: string, platform: RegExpExecArray, dev: boolean): LockedPackage {
  const [, os = "", cpu = "", libc] = platform;
  return {
    version,
    cpu: [cpu],
    ...(dev ? { dev } : {}),
    ...(libc === undefined || os !== "linux" ? {} : { libc: [libc === "gnu" ? "glibc" : "musl"] }),
    optional: true,
    os: [os],
  };
}

function byPath([left]: [string, unknown], [right]: [string, unknown]): number {
  return left.localeCompare(right, "en");
}

if (import.meta.main) {
  const path = new URL("../package-lock.json", import.meta.url);
  const lockfile = JSON.parse(readFileSync(path, "utf8")) as Lockfile;
  writeFileSync(path, `${JSON.stringify(completed(lockfile), undefined, 2)}\n`);
}
