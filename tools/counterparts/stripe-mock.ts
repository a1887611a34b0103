import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cached, digestOf } from "../cached.ts";
import { go } from "../go.ts";
import { must } from "../run.ts";
import { newFolder, startCounterpart } from "./counterpart.ts";
import type { Counterpart } from "./counterpart.ts";

const MODULE = fileURLToPath(new URL("stripe-mock/", import.meta.url));
const PROGRAM = "github.com/stripe/stripe-mock";
const MINUTES_10 = 600_000;

/** Starts Stripe's own mock of its API. It checks each request against Stripe's OpenAPI document, keeps nothing, and prints the requests. */
export async function startStripeMock(): Promise<Counterpart> {
  const program = await stripeMock();
  return await startCounterpart({
    program,
    // The second address replaces the default, which listens with TLS on every address.
    args: ["-http-addr", "127.0.0.1:", "-https-addr", "127.0.0.1:"],
    folder: await newFolder("stripe-mock"),
    ready: async (printed) => {
      const address = /Listening for HTTP at address: (\S+)/.exec(printed)?.[1];
      return await Promise.resolve(address === undefined ? undefined : `http://${address}`);
    },
  });
}

/** Builds what go.mod and go.sum pin, once for each content of them, in the user's cache folder; half a minute. */
export async function stripeMock(): Promise<string> {
  const pins = await Promise.all(["go.mod", "go.sum"].map(async (file) => await readFile(join(MODULE, file))));
  const folder = await cached(`go/stripe-mock-${digestOf(...pins)}`, async (draft) => {
    const { program, env } = await go();
    await must(program, ["build", "-mod=readonly", "-trimpath", "-o", draft, PROGRAM], {
      cwd: MODULE,
      env: { ...process.env, ...env, GOTOOLCHAIN: "local", GOFLAGS: "", CGO_ENABLED: "0", GOWORK: "off" },
      timeout: MINUTES_10,
    });
  });
  return join(folder, "stripe-mock");
}
