import type { Scope } from "../../accounts/accounts.ts";
import { PAGE_BYTES, parseId, ServiceError, timeText, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { StoredEvent } from "../../events/events.ts";
import { messageWireId } from "../../webhooks/webhooks.ts";
import type { Application } from "./applications.ts";
import { applicationOf } from "./applications.ts";
import type { SvixDeps } from "./deps.ts";
import type { Call } from "./surface.routes.ts";

const PREFIX = "msg_";

/** Returns the UUID of a message id of ours; undefined for another text. Throws 403 for the id of another workspace. */
export function messageUuid(scope: Scope, name: string): Uuid | undefined {
  if (!name.startsWith(PREFIX)) return undefined;
  const parsed = parseId(`evt_${name.slice(PREFIX.length)}`);
  if (parsed === undefined) return undefined;
  if (parsed.tag !== scope.tag) throw new ServiceError("workspace_mismatch");
  return parsed.uuid;
}

export interface FoundMessage {
  readonly application: Application;
  readonly event: StoredEvent;
}

/** Returns the message that a path names by its id or its `eventId`. Throws 404. */
export async function messageOf(deps: SvixDeps, { caller: { scope }, path }: Call): Promise<FoundMessage> {
  const application = await applicationOf(deps, scope, path["app"] ?? "");
  const name = path["msg"] ?? "";
  const id = messageUuid(scope, name) ?? (await deps.events.idOfUid(scope, application.tenant, name));
  const event = id === undefined ? undefined : await existing(deps, scope, id);
  if (event?.row.tenant !== application.tenant)
    throw new ServiceError("not_found", { detail: "The application has no message with this id or eventId." });
  return { application, event };
}

async function existing({ events }: SvixDeps, scope: Scope, id: Uuid): Promise<StoredEvent | undefined> {
  try {
    return await events.get(scope, wireId("evt", scope.tag, id));
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return undefined;
    throw error;
  }
}

/** The members of a message besides its payload. */
export interface MessageHead {
  readonly id: Uuid;
  readonly name: string;
  readonly timestamp: string;
  readonly deliverAt: string | undefined;
  readonly uid: string | null;
  readonly channels: readonly string[] | null;
  readonly tags: readonly string[] | null;
}

/** Returns a message as JSON text, with its payload byte for byte. */
export function messageText(scope: Scope, head: MessageHead, payload: string, more: object = {}): string {
  const view = {
    id: messageWireId(scope.tag, head.id),
    eventType: head.name,
    eventId: head.uid,
    channels: head.channels,
    tags: head.tags,
    timestamp: head.timestamp,
    ...(head.deliverAt === undefined ? {} : { deliverAt: head.deliverAt }),
    ...more,
  };
  return `${JSON.stringify(view).slice(0, -1)},"payload":${payload}}`;
}

export function headOf({ id, row, labels, createdAt, deliverAt }: StoredEvent): MessageHead {
  const { uid = null, channels = null, tags = null } = labels ?? {};
  return { id, name: row.name, timestamp: createdAt, deliverAt, uid, channels, tags };
}

/** Returns a stored message as JSON text. Without content, its payload is empty. */
export function storedText(scope: Scope, event: StoredEvent, withContent: boolean, more?: object): string {
  return messageText(scope, headOf(event), withContent ? event.row.data : "{}", more);
}

/** The state of a delivery, in the numbers of Svix. */
export const STATUSES = ["success", "pending", "fail", "sending", "canceled"] as const;

export interface DeliveryStatus {
  readonly state: string;
  readonly attempt_count: number;
  readonly next_attempt_at: Date | null;
}

export function statusOf({ state, attempt_count: attempts }: Pick<DeliveryStatus, "state" | "attempt_count">): number {
  if (state === "delivered") return 0;
  if (state === "failed") return 2;
  if (state !== "pending") return 4;
  return attempts === 0 ? 1 : 3;
}

export function statusView(delivery: DeliveryStatus): object {
  const status = statusOf(delivery);
  const next = delivery.state === "pending" && delivery.attempt_count > 0 ? delivery.next_attempt_at : null;
  return {
    status,
    statusText: STATUSES[status],
    nextAttempt: timeText(next),
  };
}

/** The number of events that are read at once. Each can have 256 KiB. */
const EVENTS_AT_ONCE = 20;

/** Reads the events of deliveries, up to the size of a page. */
export async function eventsWithin(
  { events }: SvixDeps,
  scope: Scope,
  rows: readonly { readonly event_id: Uuid }[],
): Promise<ReadonlyMap<Uuid, StoredEvent>> {
  const read = new Map<Uuid, StoredEvent>();
  let bytes = 0;
  for (let at = 0; at < rows.length && bytes <= PAGE_BYTES; at += EVENTS_AT_ONCE) {
    const ids = rows.slice(at, at + EVENTS_AT_ONCE).map((row) => row.event_id);
    for (const event of await events.byId(scope, [...new Set(ids)])) {
      read.set(event.id, event);
      bytes += Buffer.byteLength(event.row.data);
    }
  }
  return read;
}
