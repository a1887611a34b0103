import { go } from "./go.ts";
import { must } from "./run.ts";

/** A Go module whose files a test reads. */
export interface GoModule {
  readonly path: string;
  readonly version: string;
  /** Its checksum, as in go.sum. */
  readonly sum: string;
}

/** Returns the folder of a module, which Go downloads on the first call. */
export async function goModule({ path, version, sum }: GoModule): Promise<string> {
  const { program, env } = await go();
  const { stdout } = await must(program, ["mod", "download", "-json", `${path}@${version}`], {
    env: { ...process.env, ...env, GOTOOLCHAIN: "local", GOFLAGS: "", GOWORK: "off" },
  });
  const found = JSON.parse(stdout) as { readonly Dir: string; readonly Sum: string };
  if (found.Sum !== sum) throw new Error(`the module ${path} has another checksum: ${found.Sum}`);
  return found.Dir;
}
