import { fileURLToPath } from "node:url";
import { must } from "../run.ts";

/** The tests in a browser try what is built, so it is built of what is there. */
export async function setup(): Promise<void> {
  await must(process.execPath, [fileURLToPath(new URL("build.ts", import.meta.url))]);
}
