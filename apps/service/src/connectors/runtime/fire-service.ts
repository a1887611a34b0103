import type { Db } from "../../platform/db/db.ts";
import type { Events } from "../../events/events.ts";
import { isSystem } from "../../events/events.ts";
import { createRateLimiter } from "../../gate/gate.ts";
import type { RateLimiter } from "../../gate/gate.ts";
import { HostError } from "../sandbox/hosts.ts";
import type { Json } from "../sandbox/hosts.ts";
import { Type } from "../../lib/lib.ts";
import { placeOf, refuseReading } from "./context.ts";
import type { CallContext } from "./context.ts";
import { once } from "./effects.ts";
import { formOf } from "./form.ts";

export interface FireDeps {
  readonly db: Db;
  readonly events: Pick<Events, "fireWithin">;
  readonly rates: RateLimiter;
}

const readName = formOf(Type.String({ minLength: 1, maxLength: 128 }), "fire");
const readData = formOf(Type.Unsafe<Record<string, Json>>({ type: "object" }), "fire");
const MOST = 100;
/** As many as a key may. */
const PER_MINUTE = 1000;
const PER_HOUR = 20_000;
const MAX_DATA_BYTES = 256 * 1024;
/** An event that so many reactions led to leads to no further one. */
export const MAX_CHAIN = 16;

export function createFireRates(db: Db): RateLimiter {
  return createRateLimiter(db);
}

/** Fires a declared event, with the chain that led to it, once for its place in the call. */
export async function fire(deps: FireDeps, context: CallContext, [given, body]: readonly Json[]): Promise<Json> {
  refuseReading(context, "fire events");
  const { pinned, request } = context;
  const event = readName(given);
  if (!pinned.version.description.fires.includes(event) || isSystem(event))
    throw new HostError("not_declared", `${event} is not among the events that connector.json fires.`);
  if (request.hook === "test") throw new HostError("not_declared", "Trying the settings fires nothing.");
  const data = JSON.stringify(readData(body));
  if (Buffer.byteLength(data) > MAX_DATA_BYTES) throw new HostError("too_large", "data holds at most 256 KiB.");
  const number = context.count("fire", MOST);
  context.tell({ event });
  if (request.chain.length > MAX_CHAIN)
    throw new HostError("conflict", `${MAX_CHAIN} events led to each other here: this would be one too many.`);
  const answer = await once(deps.db, placeOf(context, `fire:${number}:${event}`), async (tx) => {
    await refuseSpent(deps.rates, context);
    const [fired] = await deps.events.fireWithin(tx, [{ scope: pinned.scope, event, data, chain: request.chain }]);
    if (fired === undefined) throw new Error("an event was not fired");
    return { id: String(fired.id) };
  });
  context.tell({ event_id: answer.id });
  return answer;
}

async function refuseSpent(rates: RateLimiter, { pinned: { scope, key } }: CallContext): Promise<void> {
  const token = await rates.take({
    bucket: scope.bucket,
    subject: `connector:${scope.tag}:${key}`,
    operation: "connector.fire",
    perMinute: PER_MINUTE,
    perHour: PER_HOUR,
  });
  if (!token.granted) throw new HostError("rate_limited", `A connector fires ${PER_MINUTE} events a minute.`);
}
