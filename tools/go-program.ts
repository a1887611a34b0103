import { basename, join } from "node:path";
import { cached } from "./cached.ts";
import { go } from "./go.ts";
import { must } from "./run.ts";

const MINUTES_20 = 1_200_000;

/** Returns the path of a program of a Go module, such as `helm.sh/helm/v3/cmd/helm` at `v3.19.0`. It is built into the user's cache folder on the first call. */
export async function goProgram(path: string, version: string): Promise<string> {
  const folder = await cached(`go/${basename(path)}-${version}`, async (draft) => {
    const { program, env } = await go();
    await must(program, ["install", `${path}@${version}`], {
      timeout: MINUTES_20,
      // The `go` command fetches a newer Go from the module proxy for a program that needs one.
      env: { ...process.env, GOTOOLCHAIN: "auto", ...env, GOBIN: draft },
    });
  });
  return join(folder, basename(path));
}
