import { fileURLToPath } from "node:url";
import { chromium } from "../chromium.ts";
import { must } from "../run.ts";

/** Builds the console for the tests in a browser, and finds the browser. The workers inherit the variable. */
export async function setup(): Promise<void> {
  const [found, built] = await Promise.allSettled([
    chromium(),
    must(process.execPath, [fileURLToPath(new URL("build.ts", import.meta.url))]),
  ]);
  if (built.status === "rejected") throw built.reason;
  if (found.status === "fulfilled") process.env["CHROMIUM"] = found.value;
  else if (process.env["JUNCTION_NEED_BROWSER"] !== undefined) throw found.reason;
  else console.warn(`\nSKIPPED: the tests in a browser: ${String(found.reason)}\n`);
}
