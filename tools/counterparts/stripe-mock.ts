import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder, must } from "../run.ts";
import { newFolder, startCounterpart } from "./counterpart.ts";
import type { Counterpart } from "./counterpart.ts";
import { go } from "../go.ts";

const MODULE = fileURLToPath(new URL("stripe-mock/", import.meta.url));
const PROGRAM = "github.com/stripe/stripe-mock";
const MINUTES_10 = 600_000;

/** Starts Stripe's own mock of its API. It checks each request against Stripe's OpenAPI document, keeps nothing, and prints the requests. */
export async function startStripeMock(): Promise<Counterpart> {
  const program = await stripeMock();
  return await startCounterpart({
    name: "stripe-mock",
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
  const hash = createHash("sha256").update(Buffer.concat(pins)).digest("hex").slice(0, 16);
  const built = join(cacheFolder(), `stripe-mock-${hash}`);
  if (existsSync(built)) return built;
  const { program, env } = await go();
  await mkdir(cacheFolder(), { recursive: true });
  const made = `${built}.${randomUUID().slice(0, 8)}`;
  try {
    await must(program, ["build", "-mod=readonly", "-trimpath", "-o", made, PROGRAM], {
      cwd: MODULE,
      env: { ...process.env, ...env, GOTOOLCHAIN: "local", GOFLAGS: "", CGO_ENABLED: "0", GOWORK: "off" },
      timeout: MINUTES_10,
    });
    await rename(made, built);
  } finally {
    await rm(made, { force: true });
  }
  return built;
}
