import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../platform/db/db.ts";
import { inboxKey } from "../../webhooks/webhooks.ts";
import type { Deliver, Tester } from "../../webhooks/webhooks.ts";
import type { Events } from "../../events/events.ts";
import { bucketOf, isPassing, NIL_UUID, parseId, randomText, SELF_TEST_TAG, ServiceError } from "../../lib/lib.ts";
import type { Id, SelfTestView, Uuid } from "../../lib/lib.ts";
import { hmacHex } from "../../platform/outbound-http/outbound-http.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { OwnRows } from "./self-test.store.ts";

export interface RunDeps {
  readonly db: Db;
  readonly events: Pick<Events, "fire" | "get">;
  readonly deliver: Pick<Deliver, "ofEvent"> & { readonly endpoints: Pick<Deliver["endpoints"], "create"> };
  readonly tester: Pick<Tester, "createInbox" | "inboxes">;
}

export type Step = NonNullable<SelfTestView["failed_step"]>;

/** The state of one run: the step it has reached, and the rows it wrote. */
export interface Run {
  readonly idempotencyKey: string;
  step: Step;
  ids: Uuid[];
  inboxKey: string | null;
}

/** The reason why a step failed, without addresses, names and ids, so that anyone may read it. */
export class StepError extends Error {
  readonly reason: string;

  constructor(reason: string, detail: string) {
    super(detail);
    this.name = "StepError";
    this.reason = reason;
  }
}

/** A scope without a workspace: no key, person, list, count or retention setting leads to it. */
const SCOPE: Scope = {
  workspaceId: NIL_UUID,
  tag: SELF_TEST_TAG,
  bucket: bucketOf(SELF_TEST_TAG),
  environment: "live",
};
const FIRST_POLL_MS = 10;
const LAST_POLL_MS = 250;

export function newRun(): Run {
  return { idempotencyKey: `self-test:${randomText(22)}`, step: "accepted", ids: [], inboxKey: null };
}

export function rowsOf({ ids, inboxKey: key, idempotencyKey }: Run): OwnRows {
  return { ids, inboxKey: key, idempotencyKey };
}

/**
 * Sends one event to an inbox of its own, on the path of a customer's event: the engine's commit, the delivery queue,
 * the target guard, HTTP to the listening server. `run` contains the step that it reached. Throws StepError, or the
 * error of a step.
 */
export async function performRun(deps: RunDeps, run: Run, stopping: AbortSignal): Promise<void> {
  stopping.throwIfAborted();
  // The name is unique, so that runs of other processes are not delivered here.
  const probe = { name: `self_test.${randomText(22)}`, data: JSON.stringify({ nonce: randomText(22) }) };
  const target = await openTarget(deps, run, probe.name);
  const fired = await fire(deps, run, probe);
  run.step = "stored";
  await checkStored(deps, fired.id, probe);
  run.step = "dispatched";
  const [delivery, ...others] = fired.deliveries;
  if (delivery === undefined || others.length > 0)
    throw new StepError("not_dispatched", `The event has ${fired.deliveries.length} deliveries instead of 1.`);
  run.step = "delivered";
  await untilDelivered(deps, fired, stopping);
  run.step = "verified";
  await verify(deps, { ...target, ...probe, eventId: fired.id, deliveryId: delivery.id });
}

interface Target {
  readonly token: string;
  readonly secret: string;
}

async function openTarget({ db, tester, deliver }: RunDeps, run: Run, event: string): Promise<Target> {
  const inbox = await db.transaction(async (tx) => await tester.createInbox(tx, SCOPE));
  run.inboxKey = inboxKey(inbox.token);
  const endpoint = await deliver.endpoints.create(SCOPE, { url: inbox.url, events: [event], description: "Self-test" });
  run.ids.push(uuidOf(endpoint.id));
  return { token: inbox.token, secret: endpoint.secret };
}

interface Probe {
  readonly name: string;
  readonly data: string;
}

interface Fired {
  readonly id: Id;
  readonly deliveries: readonly { readonly id: Id }[];
}

async function fire({ events }: RunDeps, run: Run, probe: Probe): Promise<Fired> {
  const { workspaceId: lineageId, bucket, tag } = SCOPE;
  const ref = { bucket, tag, lineageId, key: run.idempotencyKey, requestHash: Buffer.alloc(0) };
  const { body } = await events.fire([{ scope: SCOPE, tenant: null, ...probe }], { ref, batch: false });
  const fired = JSON.parse(body) as Fired;
  run.ids.push(uuidOf(fired.id), ...fired.deliveries.map(({ id }) => uuidOf(id)));
  return fired;
}

async function checkStored({ events }: RunDeps, id: Id, { name, data }: Probe): Promise<void> {
  const { row } = await events.get(SCOPE, id).catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === "not_found")
      throw new StepError("not_stored", "The accepted event is not in the database.");
    throw error;
  });
  if (row.name !== name || row.data !== data)
    throw new StepError("stored_differs", "The event in the database differs from the accepted one.");
}

async function untilDelivered({ deliver }: RunDeps, { id }: Fired, signal: AbortSignal): Promise<void> {
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(LAST_POLL_MS, pauseMs * 2)) {
    const [delivery] = await deliver.ofEvent(SCOPE, uuidOf(id));
    if (delivery === undefined)
      throw new StepError("delivery_lost", "The delivery of the event is not in the database.");
    if (delivery.state === "delivered") return;
    const { last_error_class: errorClass, last_status_code: status } = delivery;
    if (errorClass !== null)
      throw new StepError("attempt_failed", `The attempt failed: ${errorClass}${status === null ? "" : ` ${status}`}.`);
    if (delivery.state !== "pending") throw new StepError("attempt_failed", `The delivery ended as ${delivery.state}.`);
    await sleep(pauseMs, undefined, { signal });
  }
}

interface Expected extends Target, Probe {
  readonly eventId: Id;
  readonly deliveryId: Id;
}

/**
 * Verifies the delivery. The inbox has already checked the signature, which is computed again here, over the received
 * bytes.
 */
async function verify({ tester }: RunDeps, expected: Expected): Promise<void> {
  const { messages } = await tester.inboxes.view(expected.token);
  const message = messages.find(({ delivery_id }) => delivery_id === expected.deliveryId);
  if (message === undefined) throw new StepError("not_received", "The inbox does not have the delivery.");
  const signature = message.headers["x-service-signature"];
  if (message.signature !== "valid" || signature !== hmacHex(expected.secret, message.body))
    throw new StepError("signature_wrong", "The signature of the delivery does not match its body.");
  const body = JSON.parse(message.body) as Readonly<Record<string, unknown>>;
  const hasIds =
    body["id"] === expected.eventId &&
    body["delivery_id"] === expected.deliveryId &&
    body["event"] === expected.name &&
    message.event === expected.name;
  if (!hasIds)
    throw new StepError(
      "ids_differ",
      "The delivery's event, event ID or delivery ID differs from the one that was sent.",
    );
  if (!message.body.includes(`"data":${expected.data},`))
    throw new StepError("data_differs", "The delivery's data differs from the event's data.");
}

/** Returns the reason why a run failed, for anyone to read. Other details of `error` belong in the log. */
export function selfTestFault(error: unknown): Pick<SelfTestView, "reason" | "detail"> {
  if (error instanceof StepError) return { reason: error.reason, detail: error.message };
  if (isPassing(error))
    return { reason: "database_unavailable", detail: "The database did not execute a statement of this step." };
  if (error instanceof ServiceError && error.code === "url_blocked")
    return { reason: "inbox_refused", detail: "The target guard refused the URL of the built-in inbox." };
  return { reason: "internal_error", detail: "The step failed. The error is in the service's log." };
}

function uuidOf(id: string): Uuid {
  const parsed = parseId(id);
  if (parsed === undefined) throw new Error("the service made an id that it cannot read");
  return parsed.uuid;
}
