/**
 * `npm run pack:archive`: writes an archive of the service that starts without a network, with everything that it needs on machines of this
 * platform, into `archive/`. The same commit and the same installed packages give the same bytes.
 */
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { consoleLibraries } from "../licences.ts";
import { must } from "../run.ts";
import { productionOf, readLockfile, sbomOf } from "../sbom.ts";
import type { Lockfile } from "../sbom.ts";
import { copyFiles, inStaging, packingFault, ROOT, sha256Of, tar, trackedFiles } from "./staging.ts";

const PLATFORM = `${process.platform}-${process.arch}`;
/** Read from git: nothing else of the folder, such as data and keys, gets into the archive. */
const SOURCES = [
  "apps/service",
  "apps/cli",
  "apps/connector-ts",
  "apps/connector-php",
  "connectors",
  "docs",
  "openapi",
  "packages/command-line",
  "packages/design",
  "sdks/node/package.json",
  "sdks/node/src",
  "tools/start.ts",
  "tools/bootstrap",
  "tools/demo.ts",
  "tools/run.ts",
  "package.json",
  "README.md",
  "CHANGELOG.md",
];
const NOT_NEEDED = /\.test\.ts$|\/testing\/|^docs\/(?:screenshots|decisions)\//;
/** PHP.wasm exists twice: for engines with promise integration in WebAssembly, such as this Node's, and for those without. */
const NOT_NEEDED_OF_PACKAGES =
  /\.map$|\.d\.[cm]?ts$|\/node-(?:bin-)?\w+-\w+\/(?:CHANGELOG\.md|README\.md|include|share)$|\/node-8-4\/(?:asyncify|jspi\/extensions)$/;

const [folder = join(ROOT, "archive")] = process.argv.slice(2);
const fault = await packingFault();
if (fault === undefined) {
  const begun = performance.now();
  const archive = await inStaging(pack);
  const megabytes = ((await stat(archive)).size / 1e6).toFixed(0);
  process.stdout.write(`${archive}\n${megabytes} MB, in ${((performance.now() - begun) / 1000).toFixed(0)} s\n`);
} else {
  process.stderr.write(`junction: ${fault}\n`);
  process.exitCode = 2;
}

async function pack(staging: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { readonly version: string };
  const top = join(staging, `junction-${version}-${PLATFORM}`);
  const lockfile = await readLockfile();
  const files = await trackedFiles(SOURCES);
  await copyFiles(
    files.filter((file) => !NOT_NEEDED.test(file)),
    top,
  );
  await cp(join(ROOT, "apps/console/dist"), join(top, "apps/console/dist"), { recursive: true });
  await copyPackages(lockfile, top);
  await copyLicences(lockfile, join(top, "licences"));
  await writeFile(join(top, "sbom.cdx.json"), sbomOf(lockfile));
  await writeFile(join(top, "start"), launcher("tools/start.ts", 'cd "$here"\n'), { mode: 0o755 });
  await writeFile(join(top, "junction"), launcher("apps/cli/src/main.ts"), { mode: 0o755 });

  await mkdir(folder, { recursive: true });
  const target = join(folder, `${basename(top)}.tar.gz`);
  await rm(target, { force: true });
  const plain = join(staging, "archive.tar");
  await tar(top, plain);
  await must("gzip", ["--no-name", plain]);
  await cp(`${plain}.gz`, target);
  await writeFile(`${target}.sha256`, `${await sha256Of(target)}  ${basename(target)}\n`);
  return target;
}

/** Production packages that npm installed on this platform, and links to the workspaces as npm makes them. */
async function copyPackages(lockfile: Lockfile, top: string): Promise<void> {
  const all = Object.keys(lockfile);
  for (const { path } of productionOf(lockfile).filter((one) => existsSync(join(ROOT, one.path)))) {
    const nested = new Set(all.filter((other) => other.startsWith(`${path}/`)).map((other) => join(ROOT, other)));
    await cp(join(ROOT, path), join(top, path), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !nested.has(source) && !NOT_NEEDED_OF_PACKAGES.test(source),
    });
  }
  const links = Object.entries(lockfile).filter(([, { link }]) => link === true);
  for (const [path, { resolved = "" }] of links) await linkTo(join(top, path), join(top, resolved));
  const node = await must("readlink", ["-f", join(ROOT, "node_modules/.bin/node")]);
  await linkTo(join(top, "node_modules/.bin/node"), join(top, relative(ROOT, node.stdout.trim())));
}

async function linkTo(path: string, target: string): Promise<void> {
  if (!existsSync(target)) return;
  await mkdir(dirname(path), { recursive: true });
  await symlink(relative(dirname(path), target), path);
}

/** The console's libraries are only in its built files; so their licences are copied. */
async function copyLicences(lockfile: Lockfile, target: string): Promise<void> {
  for (const { name, path } of consoleLibraries(lockfile)) {
    const found = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"].find((file) =>
      existsSync(join(ROOT, path, file)),
    );
    if (found !== undefined) await cp(join(ROOT, path, found), join(target, name, "LICENSE"));
  }
}

/** A script for sh that needs no program of the PATH. */
function launcher(script: string, before = ""): string {
  return `#!/bin/sh
case $0 in */*) here=\${0%/*} ;; *) here=. ;; esac
here=$(CDPATH= cd -- "$here" && pwd)
${before}exec "$here/node_modules/.bin/node" "$here/${script}" "$@"
`;
}
