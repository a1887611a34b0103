import { basename, join } from "node:path";
import { cached } from "./cached.ts";
import { go } from "./go.ts";
import { must } from "./run.ts";

const MINUTES_20 = 1_200_000;

/** Returns the path of a program of a Go module, such as `helm.sh/helm/v3/cmd/helm` at `v3.19.0`. It is built into the user's cache folder on the first call. */
export async function goProgram(path: string, version: string): Promise<string> {
  // A module's major version is not the name of its program.
  const name = basename(path.replace(/\/v\d+$/, ""));
  const folder = await cached(`go/${name}-${version}`, async (draft) => {
    const { program, env } = await go();
    await must(program, ["install", `${path}@${version}`], {
      timeout: MINUTES_20,
      // The `go` command fetches a newer Go from the module proxy for a program that needs one.
      env: { ...process.env, GOTOOLCHAIN: "auto", ...env, GOBIN: draft },
    });
  });
  return join(folder, name);
}
