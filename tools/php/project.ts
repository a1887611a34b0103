import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packPhpSdk } from "../pack/php.ts";
import type { Ran } from "../run.ts";
import type { Php } from "./php84.ts";

/** A project of a user of the SDK: an empty folder with a composer.json, whose packages come from files. */
export interface PhpProject {
  readonly folder: string;
  /** Composer, which asks no server: Packagist cannot be reached. */
  composer(...args: readonly string[]): Promise<Ran>;
  /** Folder for PATH, with `composer` and `php` as a user types them. */
  readonly programs: string;
  /** The packed SDK, as a user would get it. */
  readonly archive: string;
  /** Folder for HOME, in which the guide finds `~/junction/release`. */
  readonly home: string;
}

interface Library {
  readonly name: string;
  readonly version: string;
  readonly namespace: string;
  /** Folders and files of Debian's PHP libraries, or of the SDK's tests. */
  readonly from: string;
  readonly files?: readonly string[];
  readonly require?: Readonly<Record<string, string>>;
}

const sdk = fileURLToPath(new URL("../../sdks/php/", import.meta.url));

/**
 * Packs the SDK and makes a project that can install it. Packagist cannot be reached: what the SDK needs comes from Debian's
 * packages of the same libraries.
 */
export async function createProject(php: Php, folder: string): Promise<PhpProject> {
  const home = join(folder, "home");
  const project = join(folder, "project");
  await mkdir(home, { recursive: true });
  await mkdir(project, { recursive: true });
  const env = { ...process.env, COMPOSER_HOME: home, COMPOSER_ALLOW_SUPERUSER: "1", COMPOSER_DISABLE_NETWORK: "1" };
  const archive = await packPhpSdk(join(home, "junction/release/composer"));
  for (const library of libraries(php)) await writeLibrary(join(folder, "libraries"), library);
  const repositories = [
    { type: "path", url: join(folder, "libraries/*"), options: { symlink: false } },
    { packagist: false },
  ];
  await writeFile(join(project, "composer.json"), JSON.stringify({ repositories }));
  return {
    folder: project,
    archive,
    programs: await writePrograms(php, join(folder, "bin"), env),
    home,
    composer: async (...args) =>
      await php.run([php.composer, "--no-interaction", "--no-plugins", ...args], { cwd: project, env }),
  };
}

async function writePrograms(
  php: Php,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const settings = ["COMPOSER_HOME", "COMPOSER_ALLOW_SUPERUSER", "COMPOSER_DISABLE_NETWORK"];
  const given = settings.map((name) => `export ${name}="${env[name] ?? ""}"\n`).join("");
  const composer = `${given}exec "${php.program}" "${php.composer}" --no-interaction --no-plugins "$@"`;
  for (const [name, line] of [
    ["composer", composer],
    ["php", `exec "${php.program}" "$@"`],
  ] as const) {
    await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

function libraries(php: Php): Library[] {
  const psr = join(php.libraries, "Psr/Http");
  const messages = "Message Request Response ServerRequest Stream UploadedFile Uri".split(" ");
  const factories = ["Request", "Response", "ServerRequest", "Stream", "UploadedFile", "Uri"];
  const message = { "psr/http-message": "^1.0 || ^2.0" };
  return [
    { name: "psr/http-client", version: "1.0.3", namespace: "Psr\\Http\\Client\\", from: join(psr, "Client") },
    {
      name: "psr/http-message",
      version: "1.1",
      namespace: "Psr\\Http\\Message\\",
      from: join(psr, "Message"),
      files: messages.map((name) => `${name}Interface.php`),
    },
    {
      name: "psr/http-factory",
      version: "1.1.0",
      namespace: "Psr\\Http\\Message\\",
      from: join(psr, "Message"),
      files: factories.map((name) => `${name}FactoryInterface.php`),
      require: message,
    },
    {
      name: "psr/http-server-middleware",
      version: "1.0.2",
      namespace: "Psr\\Http\\Server\\",
      from: join(sdk, "tests/Psr"),
      require: message,
    },
    {
      name: "nyholm/psr7",
      version: "1.8.2",
      namespace: "Nyholm\\Psr7\\",
      from: join(php.libraries, "Nyholm/Psr7"),
      require: { ...message, "psr/http-factory": "^1.0" },
    },
  ];
}

async function writeLibrary(
  parent: string,
  { name, version, namespace, from, files, require }: Library,
): Promise<void> {
  const folder = join(parent, name.replace("/", "-"));
  await mkdir(folder, { recursive: true });
  const copies = files ?? [""];
  await Promise.all(
    copies.map(async (file) => await cp(join(from, file), join(folder, "src", file), { recursive: true })),
  );
  const autoload = { "psr-4": { [namespace]: "src/" } };
  await writeFile(join(folder, "composer.json"), JSON.stringify({ name, version, autoload, require: require ?? {} }));
}
