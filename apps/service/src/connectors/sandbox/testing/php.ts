import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTelemetry } from "../../../platform/telemetry/telemetry.ts";
import { php84, whyNoPhp84 } from "../../../../../../tools/php/php84.ts";
import { createHosts, phpBackends } from "../hosts.ts";
import type { Backend, CrashKind, Hosts, HostsDeps, Program } from "../hosts.ts";
import type { Json } from "../../../lib/lib.ts";
import { caller, programOf } from "./programs.ts";
import type { Call, CallOptions } from "./programs.ts";

/** Hosts on one of PHP's backends. */
export interface PhpHosts {
  readonly hosts: Hosts;
  /** The ids of programs, with the reasons why their children were ended. */
  readonly crashes: (readonly [string, CrashKind])[];
  /** Returns a connector of the given files. A string is the content of `connector.php`. */
  connector(files: string | Record<string, string>): { readonly call: Call; readonly program: Program };
  /** Runs the body of a method of an existing connector. `$in` is the customer that a context provider gets. */
  run(body: string, options?: Omit<CallOptions, "hook">): Promise<Json>;
  stop(): Promise<void>;
}

export const PHP_START_MS = 900_000;

/** A connector that runs the code of a test. */
const RUNNER = `<?php
use Junction\\AbstractConnector;

final class Acme extends AbstractConnector
{
    public function key(): string { return 'acme'; }
    public function contextProviders(): array { return ['run' => 'runIt']; }
    protected function runIt(array $in): mixed { return eval($in['body']); }
}
`;

const noPhp = await whyNoPhp84();
if (noPhp !== undefined) console.warn(`\nSKIPPED: connectors on a real PHP. ${noPhp}\n`);

/** PHP.wasm, and a real PHP 8.4 if this machine has one. In CI it is required. */
export const PHPS: readonly (readonly [name: string, program: () => Promise<string | null>])[] = [
  ["PHP.wasm", async () => await Promise.resolve(null)],
  ...(noPhp === undefined ? [["a real PHP 8.4", async () => (await php84()).program] as const] : []),
];

export async function startPhp(program: string | null, deps: Partial<HostsDeps> = {}): Promise<PhpHosts> {
  const directory = await mkdtemp(join(tmpdir(), "junction-php-hosts-"));
  const crashes: (readonly [string, CrashKind])[] = [];
  const hosts = createHosts({
    log: createTelemetry("fatal").log,
    directory,
    backends: phpBackends(program),
    // CI machines have two cores, and other tests compile on them.
    startMs: 60_000,
    crashListeners: () => [({ id }, kind) => crashes.push([id, kind])],
    ...deps,
  });
  const connector: PhpHosts["connector"] = (files) => {
    const made = programOf(typeof files === "string" ? { "connector.php": files } : files, { runtime: "php" });
    return { program: made, call: caller(hosts, made) };
  };
  const runner = connector(RUNNER);
  return {
    hosts,
    crashes,
    connector,
    run: async (body, options = {}) => await runner.call("run", { ...options, args: [{ body, ...first(options) }] }),
    stop: async () => {
      await hosts.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Returns the members of `$in` in addition to the body. */
function first({ args }: Omit<CallOptions, "hook">): Record<string, Json> {
  const [given] = args ?? [];
  return typeof given === "object" && given !== null ? { ...(given as Record<string, Json>) } : {};
}

export type { Backend };
