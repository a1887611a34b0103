import type { Pins } from "../registry/connectors.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Event, MatchedEvent, Subscriber, SubscriberRef } from "../../events/events.ts";
import { MAX_CHAIN } from "../../events/events.ts";
import { wireId } from "../../lib/lib.ts";
import type { Calling } from "./invoke-hook.ts";
import { causeOf, hasFired, noteEffect, wasNoted } from "./effects.store.ts";
import type { EffectPlace } from "./effects.store.ts";
import type { RunLog } from "./run-log.ts";
import { handlersOf, CONNECTORS_QUERY } from "./subscriber.store.ts";

export interface SubscriberDeps {
  readonly db: Db;
  readonly calling: Calling;
  readonly pins: Pick<Pins, "current" | "isKnown">;
  readonly runLog: Pick<RunLog, "begin">;
}

/** The priority of connectors that write data which others then read. */
const MIRROR_PRIORITY = 20;
const DEADLINE_MS = 10_000;

/**
 * Creates one stage for each connector and priority: `mirror` at 20, `connector` elsewhere. An event without listeners
 * has none. A failed handler is called again by the stage's retries. Other handlers of the stage that succeeded are
 * not.
 */
export function createSubscribers(deps: SubscriberDeps): readonly Subscriber[] {
  const react = async (event: Event, key: string, priority: number): Promise<void> =>
    await handleEvent(deps, event, { key, priority });
  return [
    {
      kind: "mirror",
      question: CONNECTORS_QUERY,
      match: refsOf,
      react,
    },
    // The query above finds both kinds.
    { kind: "connector", match: () => [], react },
  ];
}

function refsOf({ chain }: MatchedEvent, found: readonly string[]): SubscriberRef[] {
  if (chain.length > MAX_CHAIN) return [];
  return [...new Set(found)].map((text) => {
    const cut = text.indexOf(" ");
    const priority = Number(text.slice(0, cut));
    return { kind: priority === MIRROR_PRIORITY ? "mirror" : "connector", key: text.slice(cut + 1), priority };
  });
}

interface Stage {
  readonly key: string;
  readonly priority: number;
}

async function handleEvent(deps: SubscriberDeps, event: Event, { key, priority }: Stage): Promise<void> {
  const { db } = deps;
  const { scope } = event;
  const handlers = await handlersOf(db.query, scope, {
    key,
    priority,
    event: event.name,
  });
  // If the connector was disabled since, nothing is called. If it is quarantined, the stage fails, so that it is
  // retried.
  if (handlers.length === 0) {
    const pin = await deps.pins.current(scope, key);
    if (pin.kind === "quarantined") throw new Error(`${key}: quarantined: ${pin.message}`);
    // The stage belongs to a connector that this node does not know. Completing it would lose the event.
    if (!(await deps.pins.isKnown(scope, key))) throw new Error(`no connector ${key} here`);
  }
  const failures: string[] = [];
  for (const handler of handlers) {
    const place = { bucket: scope.bucket, tag: scope.tag, key, cause: causeOf(event.id, handler), name: "done" };
    const failure = await callHandler(deps, { event, key, handler, place: handlers.length > 1 ? place : null });
    if (failure !== undefined) failures.push(`${handler}: ${failure}`);
  }
  if (failures.length > 0) throw new Error(`${key}: ${failures.join("; ")}`);
}

interface HandlerCall {
  readonly event: Event;
  readonly key: string;
  readonly handler: string;
  /** The place that records that this handler is done. Null if it is the only handler of the stage. */
  readonly place: EffectPlace | null;
}

/** Calls one handler. Returns the reason of a failure, or undefined. */
async function callHandler({ db, calling, runLog }: SubscriberDeps, call: HandlerCall): Promise<string | undefined> {
  const { event, key, handler, place } = call;
  const { scope, id, chain } = event;
  if (place !== null && (await wasNoted(db.query, place))) return undefined;
  if (
    chain.length > 0 &&
    (await hasFired(
      db.query,
      { ...scope, key },
      chain.map((one) => causeOf(one, handler)),
    ))
  ) {
    const version = "";
    const draft = runLog.begin({
      scope,
      key,
      version,
      hook: "subscriber",
      name: handler,
      eventId: id,
      tenant: event.tenant,
      redact: (text) => text,
    });
    const led = chain.map((one) => wireId("evt", scope.tag, one)).join(", ");
    await draft.end(
      "skipped",
      `The connector fired an event that led to this one (${led}), so it does not receive this one.`,
    );
    return undefined;
  }
  const end = await calling.call({
    scope,
    key,
    hook: "subscriber",
    name: handler,
    args: [],
    deadlineMs: DEADLINE_MS,
    event,
    cause: causeOf(id, handler),
    chain: [...chain, id],
    tenant: event.tenant,
  });
  if (!end.ok) return end.kind === "off" ? undefined : `${end.kind}: ${end.message}`;
  if (place !== null) await noteEffect(db.query, place);
  return undefined;
}
