import type { Arrival, Contacts } from "../../contacts/contacts.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { Events, EventDraft } from "../../events/events.ts";
import { parseId, wireId } from "../../lib/lib.ts";
import type { IdMaker, Instant, Uuid } from "../../lib/lib.ts";
import { inboundEventName } from "./event-name.ts";
import type { Mapped } from "./mapping.ts";
import { claimSeen } from "./receipts.store.ts";
import type { ReceiptInsert, SeenAsk } from "./receipts.store.ts";
import type { Source } from "./source.ts";

/** A mapped request, ready to be fired and added to its contact. */
export interface Entry {
  readonly source: Source;
  readonly receiptId: Uuid;
  readonly receivedAt: Instant;
  readonly mapped: Mapped;
}

export type Processed =
  | {
      readonly status: "ok";
      readonly eventId: Uuid;
      /** Null for an event without a contact. */
      readonly person: { readonly activityId: Uuid; readonly contactId: Uuid } | null;
    }
  /** The receipt that had the key first. */
  | { readonly status: "duplicate"; readonly of: Uuid };

export interface ProcessDeps {
  readonly ids: IdMaker;
  readonly contacts: Pick<Contacts, "arrive">;
  readonly events: Pick<Events, "fireWithin">;
}

/**
 * Deduplicates many requests and writes their contacts, activities, scores and events in the caller's transaction, with
 * a fixed number of statements. Returns the results in the order of the entries.
 */
export async function processEntries(deps: ProcessDeps, tx: Tx, entries: readonly Entry[]): Promise<Processed[]> {
  const firsts = await firstOfEach(tx, entries);
  const fresh = entries.filter((entry, at) => firsts[at] === entry.receiptId);
  const people = await addToContacts(deps, tx, fresh);
  const personOf = ({ receiptId }: Entry): Person | null => people.get(receiptId) ?? null;
  const fired = await deps.events.fireWithin(
    tx,
    fresh.map((entry) => eventOf(entry, personOf(entry)?.contactId ?? null)),
  );
  const done = new Map<Uuid, Processed>(
    fresh.map((entry, at) => [
      entry.receiptId,
      { status: "ok", person: personOf(entry), eventId: present(parseId(present(fired[at]).id)).uuid },
    ]),
  );
  return entries.map((entry, at) => done.get(entry.receiptId) ?? { status: "duplicate", of: present(firsts[at]) });
}

interface Person {
  readonly activityId: Uuid;
  readonly contactId: Uuid;
}

/** Adds an activity to the contact of each entry that has an address. Returns them by receipt. */
async function addToContacts(deps: ProcessDeps, tx: Tx, entries: readonly Entry[]): Promise<Map<Uuid, Person>> {
  const arrivals = entries.flatMap((entry): (Arrival & { readonly activity: { readonly receiptId: Uuid } })[] => {
    const { contact_email: email } = entry.mapped.extracted;
    return email === null ? [] : [arrivalOf(entry, email, deps.ids.uuid())];
  });
  const contactIds = arrivals.length === 0 ? [] : await deps.contacts.arrive(tx, arrivals);
  return new Map(
    arrivals.map(({ activity }, at): [Uuid, Person] => [
      activity.receiptId,
      { activityId: activity.id, contactId: present(contactIds[at]) },
    ]),
  );
}

/**
 * Returns the receipt that had a key of each entry first, or its own if all of its keys are new. Among copies in one
 * batch, the earliest counts.
 */
async function firstOfEach(tx: Tx, entries: readonly Entry[]): Promise<Uuid[]> {
  const byProof = await claimed(tx, entries, ({ mapped }) => mapped.dedupe.proofs);
  // A duplicate by its proof must not use up the id that it names: anyone who recorded a request can name any.
  const rest = entries.filter((entry, at) => byProof[at] === entry.receiptId);
  const byId = await claimed(tx, rest, ({ mapped: { dedupe } }) => (dedupe.id === null ? [] : [dedupe.id]));
  const firsts = new Map(rest.map((entry, at) => [entry.receiptId, byId[at]]));
  return entries.map((entry, at) => firsts.get(entry.receiptId) ?? present(byProof[at]));
}

async function claimed(
  tx: Tx,
  entries: readonly Entry[],
  keysOf: (entry: Entry) => readonly Buffer[],
): Promise<Uuid[]> {
  const asking = new Map<string, SeenAsk>();
  for (const entry of entries) {
    const { source, receiptId } = entry;
    for (const keyHash of keysOf(entry)) {
      const name = keyName(source, keyHash);
      if (asking.has(name)) continue;
      asking.set(name, { bucket: source.scope.bucket, tag: source.scope.tag, sourceId: source.id, keyHash, receiptId });
    }
  }
  const answers = await claimSeen(tx, [...asking.values()]);
  const first = new Map([...asking.keys()].map((name, at) => [name, answers[at]]));
  return entries.map((entry) => {
    const holders = keysOf(entry).map((keyHash) => present(first.get(keyName(entry.source, keyHash))));
    return holders.find((holder) => holder !== entry.receiptId) ?? entry.receiptId;
  });
}

/** Joins the source and the hash. Hashes have one length, so that two different pairs cannot yield the same name. */
function keyName({ id }: Source, keyHash: Buffer): string {
  return id + keyHash.toString("latin1");
}

function arrivalOf({ source, receiptId, receivedAt, mapped }: Entry, email: string, activityId: Uuid) {
  const { extracted } = mapped;
  return {
    scope: source.scope,
    email,
    name: extracted.contact_name,
    activity: {
      id: activityId,
      kind: "inbound" as const,
      eventType: extracted.event_type,
      summary: extracted.summary,
      value: extracted.value,
      scoreDelta: extracted.score_delta,
      occurredAt: receivedAt,
      receiptId,
    },
  };
}

function eventOf(entry: Entry, contactId: Uuid | null): EventDraft {
  const { source, receivedAt, mapped } = entry;
  return {
    scope: source.scope,
    name: source.eventName ?? inboundEventName(mapped.extracted.event_type),
    data: dataText(entry, contactId),
    tenant: source.tenant,
    occurredAt: receivedAt,
    subject:
      contactId === null ? wireId("src", source.scope.tag, source.id) : wireId("con", source.scope.tag, contactId),
  };
}

/** Returns the event's data (contract, sections 6 and 12), with the payload and the value exactly as received. */
function dataText({ source, receiptId, mapped }: Entry, contactId: Uuid | null): string {
  const { tag } = source.scope;
  const { event_type: eventType, value, summary } = mapped.extracted;
  const head = JSON.stringify({
    receipt_id: wireId("rcp", tag, receiptId),
    source_id: wireId("src", tag, source.id),
    contact_id: contactId === null ? null : wireId("con", tag, contactId),
    event_type: eventType,
    source_event_type: eventType,
  });
  const rest = `"value":${value ?? "null"},"summary":${JSON.stringify(summary)},"payload":${mapped.payload}`;
  return `${head.slice(0, -1)},${rest}}`;
}

/** Returns the columns of a receipt for the result of its request. */
export function resultColumns(
  processed: Processed | undefined,
): Pick<ReceiptInsert, "contact_id" | "activity_id" | "event_id" | "duplicate_of"> {
  const nothing = { contact_id: null, activity_id: null, event_id: null, duplicate_of: null };
  if (processed === undefined) return nothing;
  if (processed.status === "duplicate") return { ...nothing, duplicate_of: processed.of };
  const { person, eventId } = processed;
  return {
    ...nothing,
    contact_id: person?.contactId ?? null,
    activity_id: person?.activityId ?? null,
    event_id: eventId,
  };
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("a statement answered fewer rows than were asked");
  return value;
}
