import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { go } from "./go.ts";
import { cacheFolder, must } from "./run.ts";

const MINUTES_20 = 1_200_000;

/** Returns the path of a program of a Go module, such as `helm.sh/helm/v3/cmd/helm` at `v3.19.0`. It is built into the user's cache folder on the first call. */
export async function goProgram(path: string, version: string): Promise<string> {
  const folder = join(cacheFolder(), "go", `${basename(path)}-${version}`);
  const file = join(folder, basename(path));
  if (existsSync(file)) return file;
  await mkdir(folder, { recursive: true });
  const { program, env } = await go();
  // The program is built in a draft folder, so that its final place holds a complete one, even during concurrent builds.
  const draft = await mkdtemp(join(folder, "draft-"));
  try {
    await must(program, ["install", `${path}@${version}`], {
      timeout: MINUTES_20,
      // The `go` command fetches a newer Go from the module proxy for a program that needs one.
      env: { ...process.env, GOTOOLCHAIN: "auto", ...env, GOBIN: draft },
    });
    await rename(join(draft, basename(path)), file);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return file;
}
