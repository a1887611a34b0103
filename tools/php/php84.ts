import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installAlone, unpackDebianPackages, whyNoDebianPackages } from "../debian-packages.ts";
import { cacheFolder, run } from "../run.ts";
import type { Ran, RunOptions } from "../run.ts";

/** A complete PHP 8.4 in a folder of its own. It neither reads nor changes the system's PHP or its configuration. */
export interface Php {
  /** The program `php`; it can be started from anywhere. */
  readonly program: string;
  /** PHP files of the programs below, to be run by `program`. */
  readonly phpunit: string;
  readonly composer: string;
  /** Debian's PHP libraries, each with an `autoload.php`; on PHP's include path. */
  readonly libraries: string;
  /** Runs PHP; never throws for how it ends. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
}

const PACKAGES = [
  "php8.4-cli php8.4-curl php8.4-mbstring php8.4-xml php8.4-zip composer phpunit",
  "php-psr-http-client php-psr-http-message php-psr-http-factory",
  "php-guzzlehttp-guzzle php-nyholm-psr7 php-http-psr7-integration-tests php-http-interop-http-factory-tests",
].flatMap((line) => line.split(" "));
const EXTENSIONS =
  "ctype curl dom fileinfo iconv intl mbstring phar posix simplexml tokenizer xml xmlreader xmlwriter zip".split(" ");

// A start by hand makes sure that PHP exists. The program's own start, under the lock, installs it.
if (import.meta.main) await (process.argv[2] === "install" ? installOnce() : php84());

/** Installs PHP on the first call of this machine, half a minute; later calls find it in the user's cache folder. */
export async function php84(): Promise<Php> {
  const home = await homeFolder();
  if (!isComplete(home)) await installUnderLock(home);
  const root = join(home, "root");
  const program = join(home, "bin", "php");
  return {
    program,
    phpunit: join(root, "usr/bin/phpunit"),
    composer: join(root, "usr/bin/composer"),
    libraries: join(root, "usr/share/php"),
    run: async (args, options) => await run(program, args, options),
  };
}

/** Returns why this machine cannot have PHP, as text for a person; undefined if it can. In CI it is undefined, and {@link php84} fails. */
export async function whyNoPhp84(): Promise<string | undefined> {
  if (process.env["CI"] !== undefined || isComplete(await homeFolder())) return undefined;
  const missing = await whyNoDebianPackages();
  return missing === undefined ? undefined : `PHP 8.4 for tests is made of Debian's packages, and ${missing}.`;
}

/** Returns the cached folder for the content of this file. */
async function homeFolder(): Promise<string> {
  const recipe = createHash("sha256").update(await readFile(fileURLToPath(import.meta.url)));
  return join(cacheFolder(), `php-${recipe.digest("hex").slice(0, 16)}`);
}

function isComplete(home: string): boolean {
  return existsSync(join(home, "complete"));
}

async function installUnderLock(home: string): Promise<void> {
  const missing = await whyNoDebianPackages();
  if (missing !== undefined) throw new Error(`PHP 8.4 cannot be installed: ${missing}.`);
  await installAlone(home, fileURLToPath(import.meta.url));
}

async function installOnce(): Promise<void> {
  const home = await homeFolder();
  if (!isComplete(home)) await install(home);
}

/** Installs in place, because the files name their folder. `complete` says that the installation was not interrupted. */
async function install(home: string): Promise<void> {
  const root = await unpackDebianPackages(home, { release: 13, names: PACKAGES });
  await relocate(join(root, "usr/share/php"));
  await writePhp(home, root, { name: "php8.4", extensions: EXTENSIONS, libraries: join(root, "usr/share/php") });
  await mkdir(join(home, "complete"));
}

/** Debian's PHP libraries load each other by absolute path; ours are found on the include path. */
async function relocate(libraries: string): Promise<void> {
  for await (const file of glob("**/*autoload.php", { cwd: libraries })) {
    const path = join(libraries, file);
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replaceAll("'/usr/share/php/", "'"));
  }
}

/** The parts that a PHP in a folder is started with. */
export interface PhpParts {
  readonly name: string;
  readonly extensions: readonly string[];
  /** Folders on the include path. */
  readonly libraries: string;
}

/** Writes `<home>/bin/php`, which starts PHP by the loader and the libraries of its own release: the system's may be too old for it. */
export async function writePhp(home: string, root: string, { name, extensions, libraries }: PhpParts): Promise<void> {
  const [loader, libc, curl] = await Promise.all([
    find(root, "{usr/,}lib*/**/ld-linux-*.so.*"),
    find(root, "{usr/,}lib/*/libc.so.6"),
    find(root, "usr/lib/php/*/curl.so"),
  ]);
  const settings = [
    `include_path=".:${libraries}"`,
    `extension_dir="${dirname(curl)}"`,
    ...extensions.map((extension) => `extension=${extension}`),
    "memory_limit=512M",
    "error_reporting=-1",
    "display_errors=stderr",
    "zend.assertions=1",
    "date.timezone=UTC",
    "",
  ];
  await writeFile(join(home, "php.ini"), settings.join("\n"));
  const program = join(home, "bin", "php");
  // Debian 12 has some libraries below /lib and others below /usr/lib.
  const places = ["usr/lib", "lib"].map((folder) => join(root, folder, basename(dirname(libc)))).join(":");
  const start = `"${loader}" --inhibit-cache --library-path "${places}" --argv0 "${program}"`;
  await mkdir(dirname(program));
  await writeFile(
    program,
    `#!/bin/sh\nexport PHP_INI_SCAN_DIR=\nexec ${start} "${root}/usr/bin/${name}" -c "${home}/php.ini" "$@"\n`,
  );
  await chmod(program, 0o755);
}

async function find(root: string, pattern: string): Promise<string> {
  for await (const file of glob(pattern, { cwd: root })) return join(root, file);
  throw new Error(`The PHP packages hold no ${pattern}.`);
}
