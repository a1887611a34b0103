import type { Pins } from "../registry/connectors.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Event, MatchedEvent, Subscriber, SubscriberRef } from "../../events/events.ts";
import { isSystem, MAX_CHAIN } from "../../events/events.ts";
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

/** Connectors of this priority write what others then read. */
const MIRROR_PRIORITY = 20;
const DEADLINE_MS = 10_000;

/**
 * A stage for each connector and priority: `mirror` at 20, `connector` elsewhere. An event that nobody hears gets none. A handler that
 * fails is called again by the stage's own retries; those beside it that were done are not.
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
    // The one question above finds both.
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
    isOpen: !isSystem(event.name),
  });
  // Switched off meanwhile: what it is now counts. What was stopped for its own sake is waited for, as long as stages are.
  if (handlers.length === 0) {
    const pin = await deps.pins.current(scope, key);
    if (pin.kind === "quarantined") throw new Error(`${key}: quarantined: ${pin.message}`);
    // A stage of somebody else's, who is not on this node: done without it would be lost.
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
  /** Where it is noted that this handler is done; null where it is the stage's only one. */
  readonly place: EffectPlace | null;
}

/** Answers why it failed; undefined when it did not. */
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
  });
  if (!end.ok) return end.kind === "off" ? undefined : `${end.kind}: ${end.message}`;
  if (place !== null) await noteEffect(db.query, place);
  return undefined;
}
