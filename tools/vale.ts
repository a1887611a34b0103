import { goProgram } from "./go-program.ts";
import { run } from "./run.ts";

/** The oldest Go that builds vale. Debian's Go, which `go()` falls back to, is older. */
const OLDEST_MINOR = 25;

/** Returns the reason why vale cannot be built on this machine; undefined if it can. CI must build it. */
export async function whyNoVale(): Promise<string | undefined> {
  if (process.env["CI"] !== undefined) return undefined;
  const { status, stdout } = await run("go", ["env", "GOVERSION"]);
  const minor = Number(/^go1\.(\d+)/.exec(stdout)?.[1] ?? 0);
  if (status !== 0 || minor < OLDEST_MINOR) return `Go 1.${OLDEST_MINOR} or later is not installed`;
  return (await run("cc", ["--version"])).status === 0 ? undefined : "no C compiler is installed";
}

/** Returns the program that checks the language of our texts. The first call on a machine builds it, which takes about two minutes. */
export async function vale(): Promise<string> {
  return await goProgram("github.com/vale-cli/vale/v3/cmd/vale", "v3.21.0");
}
