import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { go } from "./counterparts/go.ts";
import { cacheFolder, must, run } from "./run.ts";

const MINUTES_20 = 1_200_000;

/** Why programs in Go cannot be built here, for a person; undefined if they can. In CI they must be. */
export async function whyNoGo(): Promise<string | undefined> {
  if (process.env["CI"] !== undefined) return undefined;
  return (await run("go", ["version"])).status === 0 ? undefined : "go is not on this machine";
}

/** A program of a Go module, such as `helm.sh/helm/v3/cmd/helm` at `v3.19.0`: built into the user's cache folder on the first call. */
async function ofGo(path: string, version: string): Promise<string> {
  const folder = join(cacheFolder(), "go", `${basename(path)}-${version}`);
  const file = join(folder, basename(path));
  if (existsSync(file)) return file;
  await mkdir(folder, { recursive: true });
  const { program, env } = await go();
  // Built beside its place: what stands there is whole, whoever else builds it at the same time.
  const draft = await mkdtemp(join(folder, "draft-"));
  try {
    await must(program, ["install", `${path}@${version}`], {
      timeout: MINUTES_20,
      env: { ...process.env, ...env, GOBIN: draft },
    });
    await rename(join(draft, basename(path)), file);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return file;
}

/** The program that judges the chart in `deploy/helm`; two minutes for the first call of a machine. */
export async function helm(): Promise<string> {
  return await ofGo("helm.sh/helm/v3/cmd/helm", "v3.19.0");
}
