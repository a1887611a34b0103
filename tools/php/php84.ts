import { existsSync } from "node:fs";
import { glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedAlone, cacheFolder, digestOf } from "../cached.ts";
import { unpackDebianPackages, whyNoDebianPackages } from "../debian-packages.ts";
import { run } from "../run.ts";
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
const LIBRARIES = "root/usr/share/php";
const EXTENSIONS =
  "ctype curl dom fileinfo iconv intl mbstring phar posix simplexml tokenizer xml xmlreader xmlwriter zip".split(" ");

/** Installs PHP on the first call of this machine, half a minute; later calls find it in the user's cache folder. */
export async function php84(): Promise<Php> {
  const home = await cachedAlone(await folderName(), async (draft, place) => {
    const missing = await whyNoDebianPackages();
    if (missing !== undefined) throw new Error(`PHP 8.4 cannot be installed: ${missing}.`);
    await unpackDebianPackages(draft, { release: 13, names: PACKAGES });
    await relocate(join(draft, LIBRARIES));
    await writePhp(draft, place, { name: "php8.4", extensions: EXTENSIONS, libraries: join(place, LIBRARIES) });
  });
  return {
    ...phpIn(home),
    phpunit: join(home, "root/usr/bin/phpunit"),
    composer: join(home, "root/usr/bin/composer"),
    libraries: join(home, LIBRARIES),
  };
}

/** Returns why this machine cannot have PHP, as text for a person; undefined if it can. In CI it is undefined, and {@link php84} fails. */
export async function whyNoPhp84(): Promise<string | undefined> {
  if (process.env["CI"] !== undefined || existsSync(join(cacheFolder(), await folderName()))) return undefined;
  const missing = await whyNoDebianPackages();
  return missing === undefined ? undefined : `PHP 8.4 for tests is made of Debian's packages, and ${missing}.`;
}

/** Returns the PHP that {@link writePhp} wrote into a folder. */
export function phpIn(home: string): Pick<Php, "program" | "run"> {
  const program = join(home, "bin/php");
  return { program, run: async (args, options) => await run(program, args, options) };
}

async function folderName(): Promise<string> {
  return `php-${digestOf(await readFile(fileURLToPath(import.meta.url)))}`;
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

/**
 * Writes `bin/php`, which starts PHP by the loader and the libraries of its own release: the system's may be too old for it. The packages
 * are in `<draft>/root`, and the files name `home`, which the draft becomes.
 */
export async function writePhp(draft: string, home: string, { name, extensions, libraries }: PhpParts): Promise<void> {
  const [loader, libc, curl] = await Promise.all([
    find(draft, "root/{usr/,}lib*/**/ld-linux-*.so.*"),
    find(draft, "root/{usr/,}lib/*/libc.so.6"),
    find(draft, "root/usr/lib/php/*/curl.so"),
  ]);
  const settings = [
    `include_path=".:${libraries}"`,
    `extension_dir="${dirname(join(home, curl))}"`,
    ...extensions.map((extension) => `extension=${extension}`),
    "memory_limit=512M",
    "error_reporting=-1",
    "display_errors=stderr",
    "zend.assertions=1",
    "date.timezone=UTC",
    "",
  ];
  await writeFile(join(draft, "php.ini"), settings.join("\n"));
  const program = join(home, "bin/php");
  // Debian 12 has some libraries below /lib and others below /usr/lib.
  const places = ["usr/lib", "lib"].map((folder) => join(home, "root", folder, basename(dirname(libc)))).join(":");
  const start = `"${join(home, loader)}" --inhibit-cache --library-path "${places}" --argv0 "${program}"`;
  await mkdir(join(draft, "bin"));
  await writeFile(
    join(draft, "bin/php"),
    `#!/bin/sh\nexport PHP_INI_SCAN_DIR=\nexec ${start} "${home}/root/usr/bin/${name}" -c "${home}/php.ini" "$@"\n`,
    { mode: 0o755 },
  );
}

/** Returns the path of a file from the folder. */
async function find(folder: string, pattern: string): Promise<string> {
  for await (const file of glob(pattern, { cwd: folder })) return file;
  throw new Error(`The PHP packages hold no ${pattern}.`);
}
