import { goProgram } from "./go-program.ts";
import { run } from "./run.ts";

/** Returns why helm cannot be built on this machine, as text for a person; undefined if it can. CI must build it. */
export async function whyNoHelm(): Promise<string | undefined> {
  if (process.env["CI"] !== undefined) return undefined;
  return (await run("go", ["version"])).status === 0 ? undefined : "go is not on this machine";
}

/** The program that judges the chart in `deploy/helm`; two minutes for the first call of a machine. */
export async function helm(): Promise<string> {
  return await goProgram("helm.sh/helm/v3/cmd/helm", "v3.19.0");
}
