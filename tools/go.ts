import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedAlone, digestOf } from "./cached.ts";
import { unpackDebianPackages, whyNoDebianPackages } from "./debian-packages.ts";
import { run } from "./run.ts";
import type { RunOptions } from "./run.ts";

/** A Go that builds the programs that tests need: stripe-mock, helm. */
export interface Go {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

const OLDEST = [1, 24] as const;
const PACKAGES = ["golang-1.24-go", "golang-1.24-src"];

/** The machine's own Go if it is new enough, else Debian's, unpacked once into the user's cache folder. */
export async function go(): Promise<Go> {
  if (await isNewEnough({ program: "go", env: {} })) return { program: "go", env: {} };
  const name = `go-${digestOf(await readFile(fileURLToPath(import.meta.url)))}`;
  const home = await cachedAlone(name, async (draft) => {
    const missing = await whyNoDebianPackages();
    if (missing !== undefined) throw new Error(`Go is not on this machine, and ${missing}.`);
    // The two are static programs and text: they need nothing of their release.
    await unpackDebianPackages(draft, { release: 13, names: PACKAGES, dependencies: false });
    if (!(await isNewEnough(goIn(draft)))) throw new Error("Debian's Go does not start on this machine.");
  });
  return goIn(home);
}

function goIn(home: string): Go {
  const root = join(home, "root/usr/lib/go-1.24");
  return { program: join(root, "bin/go"), env: { GOROOT: root } };
}

async function isNewEnough({ program, env }: Go): Promise<boolean> {
  const options: RunOptions = { env: { ...process.env, ...env, GOTOOLCHAIN: "local" } };
  const { status, stdout } = await run(program, ["env", "GOVERSION"], options);
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(stdout) ?? [];
  return status === 0 && (Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]));
}
