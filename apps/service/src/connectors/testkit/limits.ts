import { programOf } from "../registry/connectors.ts";
import type { Version } from "../registry/connectors.ts";
import { HookError } from "../sandbox/hosts.ts";
import type { FailureKind, Hosts } from "../sandbox/hosts.ts";
import { systemClock, toRfc3339 } from "../../lib/lib.ts";
import { failed, passed } from "./connector-checks.ts";
import type { CheckResult } from "./connector-checks.ts";

/** Code that exceeds the limits, in each language. */
const PROBES = {
  ts: `import { AbstractConnector } from "@junction/connector";
export class Probe extends AbstractConnector {
  key() { return "kit-probe"; }
  contextProviders() { return { spin: "spin", hog: "hog" }; }
  spin() { for (;;); }
  hog() { const all = []; for (let at = 0; ; at += 1) all.push(("x" + at).repeat(100_000).split("")); }
}
`,
  php: `<?php
final class Probe extends \\Junction\\AbstractConnector
{
    public function key(): string { return 'kit-probe'; }
    public function contextProviders(): array { return ['spin' => 'spin', 'hog' => 'hog']; }
    protected function spin(): void { while (true) { } }
    protected function hog(): void { $all = []; while (true) { $all[] = str_repeat('x', 1_000_000); } }
}
`,
} as const;
const FILE = { ts: "connector.ts", php: "connector.php" } as const;
const SPIN_MS = 500;
const HOG_MS = 30_000;

/** Checks that this machine ends endless code, and code that uses all memory, in the connector's language. */
export async function checkLimits(hosts: Hosts, version: Version): Promise<CheckResult> {
  const { runtime } = version.description;
  const files = new Map([[FILE[runtime], Buffer.from(PROBES[runtime])]]);
  const probe: Version = { ...version, key: "kit-probe", digest: "0".repeat(64) };
  const faults: string[] = [];
  for (const [name, deadlineMs, wanted] of [
    ["spin", SPIN_MS, "deadline"],
    ["hog", HOG_MS, "memory"],
  ] as const) {
    const end = await endOf(hosts, { probe, files, name, deadlineMs });
    if (end !== wanted) faults.push(`code that ${name}s was to be ended for its ${wanted}, and ended as ${end}`);
  }
  await hosts.end("kit/probe");
  return faults.length > 0 ? failed(faults) : passed("deadline and memory");
}

async function endOf(
  hosts: Hosts,
  {
    probe,
    files,
    name,
    deadlineMs,
  }: {
    readonly probe: Version;
    readonly files: ReadonlyMap<string, Buffer>;
    readonly name: string;
    readonly deadlineMs: number;
  },
): Promise<FailureKind | "done"> {
  try {
    await hosts.call(
      programOf("kit/probe", probe, async () => await Promise.resolve(files)),
      {
        hook: "context",
        name,
        args: [{}],
        deadlineMs,
        facts: { event: null, settings: {}, environment: "sandbox", now: toRfc3339(systemClock.now()) },
        service: async () => await Promise.resolve(null),
        log: () => undefined,
      },
    );
    return "done";
  } catch (error) {
    if (error instanceof HookError) return error.kind;
    throw error;
  }
}
