import { parseJson, wireId } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import type { Mapped, Unmapped } from "./mapping.ts";
import type { Processed } from "./process-inbound.ts";
import type { ReceiptStatus } from "./receipts.store.ts";

/** The result of an element of a list. It is stored as JSON without the members that it does not have. */
export interface Item {
  readonly status: Exclude<ReceiptStatus, "error">;
  readonly event_type?: string;
  readonly event_id?: Uuid;
  readonly contact_id?: Uuid;
  readonly activity_id?: Uuid;
  readonly duplicate_of?: Uuid;
  readonly reason_code?: string;
  readonly reason?: string;
}

/** The list of a request, as it is stored. */
export interface StoredList {
  readonly each: string;
  readonly items: readonly Item[];
}

export function itemOf({ extracted, ...outcome }: Mapped | Unmapped, processed: Processed | undefined): Item {
  const type = extracted.event_type === null ? {} : { event_type: extracted.event_type };
  if (outcome.kind === "unmapped")
    return { status: "unmapped", ...type, reason_code: outcome.code, reason: outcome.reason };
  if (processed === undefined) throw new Error("a mapped element was not processed");
  if (processed.status === "duplicate") return { status: "duplicate", ...type, duplicate_of: processed.of };
  const { eventId, person } = processed;
  const owned = person === null ? {} : { contact_id: person.contactId, activity_id: person.activityId };
  return { status: "ok", ...type, event_id: eventId, ...owned };
}

/** Returns the status of a request (contract, section 13). One without elements is `ok`. */
export function statusOfItems(items: readonly Item[]): Item["status"] {
  const has = (status: Item["status"]): boolean => items.some((item) => item.status === status);
  if (items.length === 0 || has("ok")) return "ok";
  return has("unmapped") ? "unmapped" : "duplicate";
}

/** Returns the columns of a receipt that its items decide. */
export function listColumns(list: StoredList) {
  const { items } = list;
  const unmapped = items.filter(({ status }) => status === "unmapped");
  const [first] = items;
  const isOneType = items.every((item) => item.event_type === first?.event_type);
  return {
    status: statusOfItems(items),
    reason_code: unmapped[0]?.reason_code ?? null,
    reason: reasonOfAll(unmapped, items.length),
    event_type: (isOneType ? first?.event_type : undefined) ?? null,
    ...resultOfOnly(items),
    items: JSON.stringify(list),
    refs: refsOf(items),
  };
}

/** A list with one element has its result, as a request that is one event. */
function resultOfOnly([first, ...others]: readonly Item[]) {
  const only = others.length > 0 ? undefined : first;
  return {
    contact_id: only?.contact_id ?? null,
    activity_id: only?.activity_id ?? null,
    event_id: only?.event_id ?? null,
    duplicate_of: only?.duplicate_of ?? null,
  };
}

/** Returns what the items of a longer list refer to. */
function refsOf(items: readonly Item[]): Uuid[] | null {
  const refs = items.flatMap((item) => [item.contact_id, item.duplicate_of]).filter((id) => id !== undefined);
  return items.length < 2 || refs.length === 0 ? null : [...new Set(refs)];
}

/** Says how many elements cannot be mapped, and why the first of them. */
export function reasonOfAll([first, ...others]: readonly { readonly reason?: string }[], all: number): string | null {
  if (first?.reason === undefined) return null;
  return all === 1
    ? first.reason
    : `${others.length + 1} of ${all} elements cannot be mapped. The first: ${first.reason}`;
}

export function readList(stored: string): StoredList {
  return parseJson(stored) as StoredList;
}

/** Returns the items as the API shows them. A tenant does not see the contacts, which are the workspace's own. */
export function itemViews(stored: string, tag: Tag, isOfTenant: boolean): object[] {
  return readList(stored).items.map(({ event_id: event, contact_id: contact, activity_id: activity, ...item }) => ({
    ...item,
    ...(event === undefined ? {} : { event_id: wireId("evt", tag, event) }),
    ...(item.duplicate_of === undefined ? {} : { duplicate_of: wireId("rcp", tag, item.duplicate_of) }),
    ...(contact === undefined || isOfTenant ? {} : { contact_id: wireId("con", tag, contact) }),
    ...(activity === undefined || isOfTenant ? {} : { activity_id: wireId("act", tag, activity) }),
  }));
}
