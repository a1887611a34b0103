import type { Db } from "../../platform/db/db.ts";
import type { Events } from "../../events/events.ts";
import { isSystem, MAX_CHAIN } from "../../events/events.ts";
import { createRateLimiter } from "../../access/access.ts";
import type { RateLimiter } from "../../access/access.ts";
import { HostError } from "../sandbox/hosts.ts";
import type { Json } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import { placeOf, assertNotReading } from "./context.ts";
import type { CallContext } from "./context.ts";
import { once } from "./effects.ts";
import { formOf } from "./form.ts";
import { takeCall } from "./rate.ts";

export interface FireDeps {
  readonly db: Db;
  readonly events: Pick<Events, "fireWithin">;
  readonly rates: RateLimiter;
}

const readName = formOf(t.String({ minLength: 1, maxLength: 128 }), "fire");
const readData = formOf(t.Unsafe<Record<string, Json>>({ type: "object" }), "fire");
const MOST = 100;
/** The same rate limit as for an API key. */
const LIMIT = { operation: "connector.fire", perMinute: 1000, perHour: 20_000 };
const MAX_DATA_BYTES = 256 * 1024;

export function createFireRates(db: Db): RateLimiter {
  return createRateLimiter(db);
}

/** Fires a declared event with the chain that led to it, once for its place in the call. */
export async function fire(deps: FireDeps, context: CallContext, [given, body]: readonly Json[]): Promise<Json> {
  assertNotReading(context, "fire events");
  const { pinned, request } = context;
  const event = readName(given);
  if (!pinned.version.description.fires.includes(event) || isSystem(event))
    throw new HostError("not_declared", `${event} is not among the events that connector.json fires.`);
  if (request.hook === "test") throw new HostError("not_declared", "A test of the settings cannot fire events.");
  const data = JSON.stringify(readData(body));
  if (Buffer.byteLength(data) > MAX_DATA_BYTES)
    throw new HostError("too_large", "data must not be larger than 256 KiB.");
  const number = context.count("fire", MOST);
  context.tell({ event });
  if (request.chain.length > MAX_CHAIN)
    throw new HostError("conflict", `The chain already has ${MAX_CHAIN} events, which is the maximum.`);
  const answer = await once(deps.db, placeOf(context, `fire:${number}:${event}`), async (tx) => {
    const { granted } = await takeCall(deps.rates, pinned, LIMIT);
    if (!granted)
      throw new HostError("rate_limited", `A connector can fire at most ${LIMIT.perMinute} events per minute.`);
    const [fired] = await deps.events.fireWithin(tx, [
      { scope: pinned.scope, name: event, data, tenant: request.tenant, chain: request.chain },
    ]);
    if (fired === undefined) throw new Error("an event was not fired");
    return { id: fired.id };
  });
  context.tell({ event_id: answer.id });
  return answer;
}
