import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PHP_SDK } from "../package-names.ts";
import { copyFiles, inStaging, ROOT, tar, trackedFiles } from "./staging.ts";

const SDK = "sdks/php/";

/**
 * Packs the PHP SDK as Composer's repositories of type `artifact` read it: with the version in its composer.json, as a tar, for which
 * Composer needs no extension of PHP that it does not need itself. Returns the path of the archive.
 */
export async function packPhpSdk(target: string): Promise<string> {
  return await inStaging(async (staging) => {
    const folder = join(staging, "sdk");
    await copyFiles(await trackedFiles(["README.md", "src", "generated"].map((path) => SDK + path)), folder, SDK);
    const { name, ...about } = JSON.parse(await readFile(join(ROOT, SDK, "composer.json"), "utf8")) as Manifest;
    const version = /VERSION = '([^']+)'/.exec(await readFile(join(ROOT, SDK, "src/Client.php"), "utf8"))?.[1] ?? "";
    await writeFile(join(folder, "composer.json"), `${JSON.stringify({ name, version, ...about }, null, 4)}\n`);
    await mkdir(target, { recursive: true });
    const archive = join(target, `${PHP_SDK.name.replace("/", "-")}-${version}.tar`);
    await tar(folder, archive, ["--format=ustar"]);
    return archive;
  });
}

interface Manifest {
  readonly name: string;
}
