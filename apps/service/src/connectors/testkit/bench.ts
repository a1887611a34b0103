import { programId, programOf } from "../registry/connectors.ts";
import type { Version } from "../registry/connectors.ts";
import { createHandles } from "../runtime/connector-runs.ts";
import type { CallContext } from "../runtime/connector-runs.ts";
import { HookError, HostError } from "../sandbox/hosts.ts";
import type { Facts, FailureKind, Hook, Hosts } from "../sandbox/hosts.ts";
import type { Json } from "../../lib/lib.ts";
import { bucketOf, createIdMaker, newTag, systemClock, tagOf, toRfc3339 } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Samples } from "./samples.ts";
import type { StandIn } from "./fake-host.ts";

/** The result of a call. */
export type End =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly kind: FailureKind; readonly message: string };

export interface HookCall {
  readonly hook: Exclude<Hook, "describe">;
  readonly name: string;
  readonly args?: readonly Json[];
  readonly event?: Json;
  /** The cause, which is the same when the call is repeated. Null if the service never repeats it. */
  readonly cause?: string | null;
  readonly deadlineMs?: number;
}

/** A connector's code, with an in-memory service around it. */
export interface Bench {
  readonly scope: Scope;
  readonly version: Version;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly samples: Samples;
  readonly standIn: StandIn;
  readonly hosts: Hosts;
  call(asked: HookCall): Promise<End>;
  /** Everything that was sent to the child and received from it, as JSON. */
  readonly said: { readonly into: string[]; readonly out: string[] };
}

/** The deadline that the service uses for subscribers, webhooks and settings tests. */
const DEADLINE_MS = 10_000;
const START_MS = 60_000;

export function createBench(parts: Omit<Bench, "call" | "said" | "scope">): Bench {
  const ids = createIdMaker(systemClock);
  const tag = tagOf(newTag(), "sandbox");
  const scope: Scope = { workspaceId: ids.uuid(), tag, bucket: bucketOf(tag), environment: "sandbox" };
  const said = { into: [] as string[], out: [] as string[] };
  return { ...parts, scope, said, call: async (asked) => await call({ ...parts, scope, said }, asked) };
}

async function call(bench: Omit<Bench, "call">, asked: HookCall): Promise<End> {
  const { version, files, hosts, standIn, said } = bench;
  const context = contextOf(bench, asked);
  const args = asked.args ?? [];
  const facts: Facts = {
    event: asked.event ?? null,
    settings: context.handles.settings,
    environment: "sandbox",
    now: toRfc3339(systemClock.now()),
  };
  said.into.push(JSON.stringify([args, facts]));
  try {
    const program = programOf(programId(bench.scope, version.key), version, async () => await Promise.resolve(files));
    const value = await hosts.call(program, {
      ...asked,
      args,
      facts,
      deadlineMs: asked.deadlineMs ?? DEADLINE_MS,
      service: async (name, given) => await standIn.answer(context, name, given),
      log: (line) => void said.out.push(JSON.stringify(line)),
    });
    said.out.push(JSON.stringify(value));
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    const place = placeIn(error.trace ?? "");
    const message = place === undefined ? error.message : `${error.message} (${place})`;
    said.out.push(message);
    return { ok: false, kind: error.kind, message };
  }
}

function contextOf(
  { scope, version, samples }: Pick<Bench, "scope" | "version" | "samples">,
  asked: HookCall,
): CallContext {
  const { key } = version;
  const deadlineMs = asked.deadlineMs ?? DEADLINE_MS;
  const counts = new Map<string, number>();
  return {
    pinned: { scope, key, version, values: samples.values },
    request: {
      scope,
      key,
      hook: asked.hook,
      name: asked.name,
      args: asked.args ?? [],
      deadlineMs,
      event: null,
      cause: asked.cause ?? null,
      chain: [],
      tenant: null,
    },
    handles: createHandles(version, samples.values),
    // The start of the child does not count as time of the call. Its duration is not known here, so a maximum is added.
    endsAtMs: systemClock.monotonicMs() + deadlineMs + START_MS,
    unknown: false,
    count(kind, most) {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      if (count > most) throw new HostError("rate_limited", `A call can use ${kind} at most ${most} times.`);
      return count;
    },
    tell: () => undefined,
  };
}

/** Returns the first place of the author's code in a stack trace. */
function placeIn(trace: string): string | undefined {
  return /(?<![\w./-])[\w./-]+\.(?:ts|php):\d+(?::\d+)?/.exec(trace)?.[0];
}
