// Run after `npm install <package>`. A registry mirror that lacks the builds for some platforms makes npm leave them out
// of package-lock.json, and `npm ci` then refuses the lockfile on every platform. This adds the missing optional
// platform packages at the exact version their parent pins; npm fetches one only on the platform it is for.
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

/** The lockfile with an entry for every optional platform package pinned exactly by a package in it. */
export function completed(lockfile: Lockfile): Lockfile {
  const missing = Object.entries(lockfile.packages).flatMap(([path, parent]) => missingOf(lockfile, path, parent));
  const packages = Object.fromEntries([...Object.entries(lockfile.packages), ...missing].toSorted(byPath));
  return { ...lockfile, packages };
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
