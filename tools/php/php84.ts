import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, glob, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder, run } from "../run.ts";
import type { Ran, RunOptions } from "../run.ts";

/** A whole PHP 8.4 in a folder of its own: nothing of the system's PHP or its configuration is read, nothing is changed. */
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

// Debian's next release has what this one lacks; its packages bring every library they need, the C library included.
const RELEASE = "trixie";
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const PACKAGES = [
  "php8.4-cli php8.4-curl php8.4-mbstring php8.4-xml composer phpunit",
  "php-psr-http-client php-psr-http-message php-psr-http-factory",
  "php-guzzlehttp-guzzle php-nyholm-psr7 php-http-psr7-integration-tests php-http-interop-http-factory-tests",
].flatMap((line) => line.split(" "));
const EXTENSIONS =
  "ctype curl dom fileinfo iconv intl mbstring phar posix simplexml tokenizer xml xmlreader xmlwriter".split(" ");
const MINUTES_15 = 900_000;

// Started by hand it makes sure that PHP is there; started by itself, under the lock, it installs.
if (import.meta.main) await (process.argv[2] === "install" ? installOnce() : php84());

/** Installs PHP on the first call of this machine, half a minute; later calls find it in the user's cache folder. */
export async function php84(): Promise<Php> {
  const home = await homeFolder();
  if (!isComplete(home)) await installAlone(home);
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

/** Why this machine cannot have it, for a person; undefined if it can. CI must: there it is undefined, and {@link php84} fails. */
export async function whyNoPhp84(): Promise<string | undefined> {
  if (process.env["CI"] !== undefined || isComplete(await homeFolder())) return undefined;
  const missing = await missingHere();
  return missing === undefined ? undefined : `PHP 8.4 for tests is made of Debian's packages, and ${missing}.`;
}

async function missingHere(): Promise<string | undefined> {
  for (const program of ["apt-get", "dpkg-deb", "flock"]) {
    if ((await run(program, ["--version"])).status !== 0) return `${program} is not on this machine`;
  }
  if (!existsSync(KEYRING)) return `Debian's keys are not on this machine (package debian-archive-keyring)`;
  if ((await archive()) === undefined) return `apt has no Debian archive among its sources`;
  return undefined;
}

/** One cached folder for each content of this file. */
async function homeFolder(): Promise<string> {
  const recipe = createHash("sha256").update(await readFile(fileURLToPath(import.meta.url)));
  return join(cacheFolder(), `php-${recipe.digest("hex").slice(0, 16)}`);
}

function isComplete(home: string): boolean {
  return existsSync(join(home, "complete"));
}

/** Whoever comes second waits, then finds the work done. The kernel drops the lock of a process that dies. */
async function installAlone(home: string): Promise<void> {
  const missing = await missingHere();
  if (missing !== undefined) throw new Error(`PHP 8.4 cannot be installed: ${missing}.`);
  await mkdir(cacheFolder(), { recursive: true });
  const self = [process.execPath, fileURLToPath(import.meta.url), "install"];
  await must("flock", [`${home}.lock`, ...self]);
}

async function installOnce(): Promise<void> {
  const home = await homeFolder();
  if (!isComplete(home)) await install(home);
}

/** The files name their folder, so it is made in place; `complete` says that nothing cut it short. */
async function install(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true });
  const root = join(home, "root");
  await mkdir(root, { recursive: true });
  const apt = await prepareApt(home);
  await must("apt-get", ["-qq", "update"], apt);
  await must("apt-get", ["-qq", "install", "--yes", "--download-only", ...PACKAGES], apt);
  const archives = join(home, "apt/cache/archives");
  for (const file of await readdir(archives)) {
    if (file.endsWith(".deb")) await must("dpkg-deb", ["--extract", join(archives, file), root]);
  }
  await rm(join(home, "apt"), { recursive: true });
  await relocate(join(root, "usr/share/php"));
  await writeProgram(home, root);
  await mkdir(join(home, "complete"));
}

/** An apt that knows no installed package and no other archive: it fetches all of them, and leaves the system's state alone. */
async function prepareApt(home: string): Promise<RunOptions> {
  const folder = join(home, "apt");
  await mkdir(join(folder, "state/lists/partial"), { recursive: true });
  await mkdir(join(folder, "cache/archives/partial"), { recursive: true });
  await writeFile(join(folder, "status"), "");
  await writeFile(
    join(folder, "sources.list"),
    `deb [signed-by=${KEYRING}] ${(await archive()) ?? ""} ${RELEASE} main\n`,
  );
  const config = join(folder, "apt.conf");
  await writeFile(
    config,
    [
      `Dir::State "${folder}/state";`,
      `Dir::State::status "${folder}/status";`,
      `Dir::Cache "${folder}/cache";`,
      `Dir::Etc::sourcelist "${folder}/sources.list";`,
      `Dir::Etc::sourceparts "-";`,
      `Dir::Etc::preferences "-";`,
      `Dir::Etc::preferencesparts "-";`,
      `Acquire::Retries "3";`,
      `Acquire::Languages "none";`,
      `APT::Install-Recommends "false";`,
      `APT::Sandbox::User "";`,
      "",
    ].join("\n"),
  );
  return { env: { ...process.env, APT_CONFIG: config, DEBIAN_FRONTEND: "noninteractive" } };
}

/** Where this machine gets Debian's packages from: its own mirror, if it has one. */
async function archive(): Promise<string | undefined> {
  const format = "$(CREATED_BY) $(RELEASE) $(COMPONENT) $(REPO_URI)";
  const { stdout } = await run("apt-get", ["indextargets", "--format", format]);
  const { stdout: release } = await run("sh", ["-c", '. /etc/os-release && echo "$ID $VERSION_CODENAME"']);
  const [system, codename = ""] = release.trim().split(" ");
  if (system !== "debian") return undefined;
  const target = stdout.split("\n").find((line) => line.startsWith(`Packages ${codename} main `));
  return target?.split(" ")[3];
}

/** Debian's PHP libraries load each other by absolute path; ours are found on the include path. */
async function relocate(libraries: string): Promise<void> {
  for await (const file of glob("**/*autoload.php", { cwd: libraries })) {
    const path = join(libraries, file);
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replaceAll("'/usr/share/php/", "'"));
  }
}

/** Starts PHP by the loader and the libraries of its own release: the system's are too old for it. */
async function writeProgram(home: string, root: string): Promise<void> {
  const [loader, libc, curl] = await Promise.all([
    find(root, "usr/lib*/**/ld-linux-*.so.*"),
    find(root, "usr/lib/*/libc.so.6"),
    find(root, "usr/lib/php/*/curl.so"),
  ]);
  const settings = [
    `include_path=".:${root}/usr/share/php"`,
    `extension_dir="${dirname(curl)}"`,
    ...EXTENSIONS.map((name) => `extension=${name}`),
    "memory_limit=512M",
    "error_reporting=-1",
    "display_errors=stderr",
    "zend.assertions=1",
    "date.timezone=UTC",
    "",
  ];
  await writeFile(join(home, "php.ini"), settings.join("\n"));
  const program = join(home, "bin", "php");
  const start = `"${loader}" --inhibit-cache --library-path "${dirname(libc)}" --argv0 "${program}"`;
  await mkdir(dirname(program));
  await writeFile(
    program,
    `#!/bin/sh\nexport PHP_INI_SCAN_DIR=\nexec ${start} "${root}/usr/bin/php8.4" -c "${home}/php.ini" "$@"\n`,
  );
  await chmod(program, 0o755);
}

async function find(root: string, pattern: string): Promise<string> {
  for await (const file of glob(pattern, { cwd: root })) return join(root, file);
  throw new Error(`The PHP packages hold no ${pattern}.`);
}

async function must(program: string, args: readonly string[], options: RunOptions = {}): Promise<void> {
  const { status, output } = await run(program, args, { timeout: MINUTES_15, ...options });
  if (status !== 0) throw new Error(`PHP 8.4 cannot be installed: ${program} ${args[0] ?? ""} failed: ${output}`);
}
