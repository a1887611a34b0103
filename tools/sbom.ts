import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface LockEntry {
  readonly version: string;
  readonly license?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export type Lockfile = Readonly<Record<string, LockEntry>>;

export interface Installed extends LockEntry {
  readonly name: string;
  /** Path in the tree. */
  readonly path: string;
}

const ROOT = join(import.meta.dirname, "..");
const IN = "node_modules/";

export async function readLockfile(): Promise<Lockfile> {
  const text = await readFile(join(ROOT, "package-lock.json"), "utf8");
  return (JSON.parse(text) as { readonly packages: Lockfile }).packages;
}

/** Returns the packages that production installs on any kind of machine, by their path in the tree. */
export function productionOf(lockfile: Lockfile): Installed[] {
  return Object.entries(lockfile)
    .filter(([path, entry]) => path.includes(IN) && entry.dev !== true && entry.link !== true)
    .map(([path, entry]) => ({ ...entry, path, name: path.slice(path.lastIndexOf(IN) + IN.length) }));
}

/**
 * Returns CycloneDX JSON of the lockfile alone: the same text for the same lockfile on every machine. `npm sbom` is not used, because it
 * omits production packages of a workspace that the root needs for development too.
 */
export function sbomOf(lockfile: Lockfile): string {
  const installed = productionOf(lockfile);
  const components = new Map(installed.map((one) => [purlOf(one), componentOf(one)]));
  const dependencies = Map.groupBy(installed, purlOf);
  const { version } = lockfile[""] ?? { version: "0" };
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": "junction", name: "junction", version } },
    components: [...components.values()].toSorted((a, b) => compare(a.purl, b.purl)),
    dependencies: [...dependencies]
      .map(([ref, places]) => ({ ref, dependsOn: unique(places.flatMap((one) => neededBy(lockfile, one))) }))
      .toSorted((a, b) => compare(a.ref, b.ref)),
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function componentOf(one: Installed): { readonly purl: string } {
  const purl = purlOf(one);
  const { name, version, license, integrity = "" } = one;
  const content = Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    ...(license === undefined ? {} : { licenses: [{ license: { id: license } }] }),
    hashes: [{ alg: "SHA-512", content }],
    purl,
  } as { readonly purl: string };
}

export function purlOf({ name, version }: Pick<Installed, "name" | "version">): string {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

/** Looks packages up as Node does: inside of the package, then further up. */
function neededBy(lockfile: Lockfile, { path, dependencies = {}, optionalDependencies = {} }: Installed): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => {
    for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf(`/${IN}`)))) {
      const found = lockfile[`${at === "" ? "" : `${at}/`}${IN}${name}`];
      if (found !== undefined) return [purlOf({ name, version: found.version })];
      if (at === "") return [];
    }
  });
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted(compare);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

if (import.meta.main) {
  const [out = join(ROOT, "sbom.cdx.json")] = process.argv.slice(2);
  await writeFile(out, sbomOf(await readLockfile()));
  process.stdout.write(`${out}\n`);
}
