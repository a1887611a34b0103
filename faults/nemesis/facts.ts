import { isDone, isFinal } from "./api.ts";
import type { Body, Call, DoneFault, End, HistoryRecord, Hit, Operation, SentEvent } from "./history.ts";

/** All tries of one operation together. */
export interface Effect<Of extends Operation = Operation> {
  readonly operation: Of;
  readonly client: number;
  /** It happened, if it did, between these. The end is infinite if no client knows whether it did, or will. */
  readonly startMs: number;
  readonly endMs: number;
  readonly outcome: "done" | "refused" | "unknown";
  readonly body: Body;
  readonly calls: readonly Call[];
}

export type EffectOf<Op extends Operation["op"]> = Effect<Extract<Operation, { readonly op: Op }>>;

/** A hit of a webhook. */
export interface WebhookHit extends Hit {
  readonly delivery: string;
  readonly event: string;
  readonly data: Pick<SentEvent, "n" | "tenant" | "f" | "lane">;
  /** When its attempt began, on the clock of the history: the signed second, so up to a second too early. */
  readonly begunMs: number;
}

/** A delivery as an answered fire named it. */
export interface NamedDelivery {
  readonly id: string;
  readonly endpoint_id: string;
}

export interface FiredEvent {
  readonly sent: SentEvent;
  readonly effect: EffectOf<"fire">;
  /** Undefined if the answer is unknown. */
  readonly id: string | undefined;
  readonly deliveries: readonly NamedDelivery[];
}

/** A history in the form in which the predicates read it. */
export interface Facts {
  /** The wall clock at the begin of the history. */
  readonly originMs: number;
  readonly calls: readonly Call[];
  readonly effects: readonly Effect[];
  of<Op extends Operation["op"]>(op: Op): EffectOf<Op>[];
  readonly hits: readonly WebhookHit[];
  /** The calls of the backend. */
  readonly backend: readonly Hit[];
  readonly faults: readonly DoneFault[];
  readonly events: readonly FiredEvent[];
  readonly end: End;
}

const BACKEND = "/backend";
const NO_END: End = {
  kind: "end",
  deliveries: [],
  pulled: {},
  proposals: [],
  audit: [],
  auditIsWhole: true,
  usage: { events: 0, deliveries: 0 },
  stuck: [],
  ended: [],
};

/** `originMs`: the wall clock at the begin of the history. */
export function factsOf(records: readonly HistoryRecord[], originMs: number): Facts {
  const calls = records.filter((one) => one.kind === "call");
  const hits = records.filter((one) => one.kind === "hit");
  const effects = [...Map.groupBy(calls, ({ key }) => key).values()].map(effectOf);
  const of = <Op extends Operation["op"]>(op: Op): EffectOf<Op>[] =>
    effects.filter((effect): effect is EffectOf<Op> => effect.operation.op === op);
  return {
    originMs,
    calls,
    effects,
    of,
    hits: hits.filter(({ path }) => path !== BACKEND).map((hit) => webhookHit(hit, originMs)),
    backend: hits.filter(({ path }) => path === BACKEND),
    faults: records.filter((one) => one.kind === "fault").map(({ fault }) => fault),
    events: of("fire").flatMap(firedEvents),
    end: records.find((one) => one.kind === "end") ?? NO_END,
  };
}

function effectOf(calls: readonly Call[]): Effect {
  const [first] = calls;
  if (first === undefined) throw new Error("no call");
  const final = calls.find((call) => isFinal(call));
  return {
    operation: first.operation,
    client: first.client,
    startMs: Math.min(...calls.map(({ startMs }) => startMs)),
    endMs: final?.endMs ?? Infinity,
    outcome: final === undefined ? "unknown" : isDone(final) ? "done" : "refused",
    body: final?.body ?? {},
    calls,
  };
}

interface WebhookBody {
  readonly id: string;
  readonly event: string;
  readonly data: WebhookHit["data"];
}

function webhookHit(hit: Hit, originMs: number): WebhookHit {
  const { event, data } = JSON.parse(hit.body) as WebhookBody;
  const begunMs = Number(hit.headers["x-service-timestamp"]) * 1000 - originMs;
  return { ...hit, delivery: hit.headers["x-service-delivery"] ?? "", event, data, begunMs };
}

interface FiredView {
  readonly id: string;
  readonly deliveries: readonly NamedDelivery[];
}

function firedEvents(effect: EffectOf<"fire">): FiredEvent[] {
  const { body, operation, outcome } = effect;
  const views = (Array.isArray(body["data"]) ? body["data"] : [body]) as FiredView[];
  return operation.events.map((sent, at) => {
    const view = outcome === "done" ? views[at] : undefined;
    return { sent, effect, id: view?.id, deliveries: view?.deliveries ?? [] };
  });
}

/** True for an event that may have gone with its tenant, with its deliveries. */
export function isOfDeletedTenant(facts: Facts, { sent }: FiredEvent): boolean {
  return facts
    .of("delete-tenant")
    .some(({ operation, outcome }) => operation.tenant === sent.tenant && outcome !== "refused");
}
