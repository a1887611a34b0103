import { programId, programOf } from "../registry/connectors.ts";
import type { Pinned, Pins } from "../registry/connectors.ts";
import type { Db } from "../../platform/db/db.ts";
import { HookError, HostError } from "../sandbox/hosts.ts";
import type { FailureKind, HostErrorCode, Hosts } from "../sandbox/hosts.ts";
import type { Clock, Json } from "../../lib/lib.ts";
import { toRfc3339 } from "../../lib/lib.ts";
import { isReading } from "./context.ts";
import type { CallContext, HookRequest } from "./context.ts";
import { eventFact } from "./connector-facts.ts";
import { createHandles } from "./handles.ts";
import type { Residents } from "./active-processes.ts";
import type { RunDraft, RunLog } from "./run-log.ts";
import type { Services } from "./services.ts";

/** The result of a call. */
export type HookEnd =
  | { readonly ok: true; readonly value: Json }
  | {
      readonly ok: false;
      readonly kind: FailureKind | "off" | "quarantined";
      /** A message for people, without secrets. */
      readonly message: string;
      /** The code of the service request that was refused, if any. */
      readonly code: HostErrorCode | undefined;
      /** True if the call may have changed something elsewhere and the result is not known. */
      readonly unknown: boolean;
    };

export type Calling = ReturnType<typeof createCalling>;

export interface CallingDeps {
  readonly hosts: Pick<Hosts, "call">;
  readonly pins: Pins;
  readonly runLog: RunLog;
  readonly services: Services;
  readonly db: Pick<Db, "within">;
  readonly clock: Clock;
  readonly residents: Pick<Residents, "used" | "crashed">;
}

export function createCalling(deps: CallingDeps) {
  const callPinned = async (pinned: Pinned, request: HookRequest): Promise<HookEnd> => {
    const handles = createHandles(pinned.version, pinned.values);
    const draft = deps.runLog.begin({
      scope: pinned.scope,
      key: pinned.key,
      version: pinned.version.version,
      hook: request.hook,
      name: request.name,
      eventId: request.event?.id ?? null,
      tenant: request.tenant,
      redact: handles.redact,
    });
    const end = await run(deps, { pinned, request, handles, draft });
    await draft.end(end.ok ? "ok" : endingOf(end.kind), end.ok ? null : end.message);
    return end;
  };
  return {
    /** Does the same for a connector that was just checked. */
    callPinned,
    /** Checks that the connector may run, and calls it. Never throws because of the code's behavior. */
    async call(request: HookRequest): Promise<HookEnd> {
      const pin = await deps.pins.current(request.scope, request.key);
      if (pin.kind === "ready") return await callPinned(pin.pinned, request);
      const message = pin.kind === "off" ? "The connector is not enabled." : pin.message;
      return { ok: false, kind: pin.kind, message, code: undefined, unknown: false };
    },
  };
}

type Running = Pick<CallContext, "pinned" | "request" | "handles"> & { readonly draft: RunDraft };

async function run(deps: CallingDeps, { pinned, request, handles, draft }: Running): Promise<HookEnd> {
  // A test has a separate process: a connector may be tested while it is disabled, and each change of connectors ends
  // the processes of those that are not enabled.
  const isTrial = request.hook === "test";
  const id = `${programId(pinned.scope, pinned.key)}${isTrial ? "/test" : ""}`;
  const state = contextOf(deps.clock, { pinned, request, handles });
  if (!isTrial) deps.residents.used(id, pinned);
  try {
    const value = await deps.hosts.call(programOf(id, pinned.version, deps.pins.files), {
      hook: request.hook,
      name: request.name,
      args: request.args,
      deadlineMs: request.deadlineMs,
      facts: {
        event: request.event === null ? null : eventFact(request.event),
        settings: handles.settings,
        environment: pinned.scope.environment,
        now: toRfc3339(deps.clock.now()),
      },
      service: async (name, args) => {
        const { context, details } = state.of();
        // The database shows only rows of this workspace and environment, regardless of the requested service.
        return await deps.db.within(
          pinned.scope,
          async () => await deps.services.answer(context, draft, { name, args, details }),
        );
      },
      log: draft.line,
    });
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    const { kind, message, code } = error;
    if (kind === "deadline" && !isReading(request.hook)) deps.residents.crashed(id, kind);
    return { ok: false, kind, message: handles.redact(message), code, unknown: state.isUnknown() || isCutOff(kind) };
  }
}

/** Returns true if the child process was ended during its work. */
function isCutOff(kind: FailureKind): boolean {
  return kind === "deadline" || kind === "memory" || kind === "crashed" || kind === "protocol";
}

function endingOf(kind: Exclude<HookEnd, { ok: true }>["kind"]): FailureKind {
  return kind === "off" || kind === "quarantined" ? "unavailable" : kind;
}

function contextOf(clock: Clock, call: Pick<CallContext, "pinned" | "request" | "handles">) {
  const counts = new Map<string, number>();
  // The first service request sets it, so that the start of the child process does not count.
  let endsAtMs: number | undefined;
  let unknown = false;
  return {
    isUnknown: (): boolean => unknown,
    /** Returns the context for one service request, with its details for the run log. */
    of(): { readonly context: CallContext; readonly details: Record<string, unknown> } {
      const details: Record<string, unknown> = {};
      endsAtMs ??= clock.monotonicMs() + call.request.deadlineMs;
      const context: CallContext = {
        ...call,
        endsAtMs,
        get unknown() {
          return unknown;
        },
        set unknown(value) {
          unknown = value;
        },
        count(kind, most) {
          const count = (counts.get(kind) ?? 0) + 1;
          counts.set(kind, count);
          if (count > most) throw new HostError("rate_limited", `A call can use ${kind} at most ${most} times.`);
          return count;
        },
        tell: (detail) => void Object.assign(details, detail),
      };
      return { context, details };
    },
  };
}
