import type { Arrival, Contacts } from "../../contacts/contacts.ts";
import type { Tx } from "../../platform/db/db.ts";
import type { Events, EventDraft } from "../../events/events.ts";
import { parseId, wireId } from "../../lib/lib.ts";
import type { IdMaker, Instant, Uuid } from "../../lib/lib.ts";
import { inboundEventName } from "./event-name.ts";
import type { DedupeKeys } from "./dedupe-keys.ts";
import type { Mapped } from "./mapping.ts";
import { claimSeen } from "./receipts.store.ts";
import type { ReceiptInsert, SeenAsk } from "./receipts.store.ts";
import type { Source } from "./source.ts";

/** A mapped event, ready to be fired and added to its contact. */
export interface Entry {
  readonly source: Source;
  readonly receiptId: Uuid;
  /** The position of the element in the list of the receipt; 0 for an event that is the whole request. */
  readonly position: number;
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
 * Deduplicates many events and writes their contacts, activities, scores and events in the caller's transaction, with
 * a fixed number of statements. Returns the results in the order of the entries.
 */
export async function processEntries(deps: ProcessDeps, tx: Tx, entries: readonly Entry[]): Promise<Processed[]> {
  const firsts = await firstOfEach(tx, entries);
  const fresh = entries.filter((_entry, at) => firsts[at] === null);
  const people = await addToContacts(deps, tx, fresh);
  const fired = await deps.events.fireWithin(
    tx,
    fresh.map((entry) => eventOf(entry, people.get(entry)?.contactId ?? null)),
  );
  const done = new Map<Entry, Processed>(
    fresh.map((entry, at) => [
      entry,
      { status: "ok", person: people.get(entry) ?? null, eventId: present(parseId(present(fired[at]).id)).uuid },
    ]),
  );
  return entries.map((entry, at) => done.get(entry) ?? { status: "duplicate", of: present(firsts[at] ?? undefined) });
}

interface Person {
  readonly activityId: Uuid;
  readonly contactId: Uuid;
}

/** Adds an activity to the contact of each entry that has an address. */
async function addToContacts(deps: ProcessDeps, tx: Tx, entries: readonly Entry[]): Promise<Map<Entry, Person>> {
  const arriving = entries.flatMap((entry): [Entry, Arrival][] => {
    const { contact_email: email } = entry.mapped.extracted;
    return email === null ? [] : [[entry, arrivalOf(entry, email, deps.ids.uuid())]];
  });
  const arrivals = arriving.map(([, arrival]) => arrival);
  const contactIds = arrivals.length === 0 ? [] : await deps.contacts.arrive(tx, arrivals);
  return new Map(
    arriving.map(([entry, { activity }], at) => [
      entry,
      { activityId: activity.id, contactId: present(contactIds[at]) },
    ]),
  );
}

/**
 * Returns the receipt that had a key of each entry first; null if all of its keys are new. Among copies in one batch, the
 * earliest counts.
 */
async function firstOfEach(tx: Tx, entries: readonly Entry[]): Promise<(Uuid | null)[]> {
  const byProof = await claimed(tx, entries, ({ once, element, body }) => [once, element, body]);
  // A duplicate by its proof must not use up the id that it names: anyone who recorded a request can name any.
  const rest = entries.filter((_entry, at) => byProof[at] === null);
  const byId = await claimed(tx, rest, ({ id }) => [id]);
  const firsts = new Map(rest.map((entry, at) => [entry, byId[at] ?? null]));
  return entries.map((entry, at) => byProof[at] ?? firsts.get(entry) ?? null);
}

async function claimed(
  tx: Tx,
  entries: readonly Entry[],
  keysOf: (keys: DedupeKeys) => readonly (Buffer | null)[],
): Promise<(Uuid | null)[]> {
  const asking = new Map<string, SeenAsk>();
  const asked = entries.map(({ source, receiptId, position, mapped: { dedupe } }) =>
    keysOf(dedupe).flatMap((keyHash) => {
      if (keyHash === null) return [];
      const name = keyName(source, keyHash);
      const { bucket, tag } = source.scope;
      // All elements of a request share its proof.
      const ask = {
        bucket,
        tag,
        sourceId: source.id,
        keyHash,
        receiptId,
        item: keyHash === dedupe.once ? 0 : position,
      };
      if (!asking.has(name)) asking.set(name, ask);
      return [{ name, ask }];
    }),
  );
  const answers = await claimSeen(tx, [...asking.values()]);
  const holders = new Map([...asking.keys()].map((name, at) => [name, present(answers[at])]));
  return asked.map((keys) => {
    const others = keys.map(({ name, ask }) => ({ ask, holder: present(holders.get(name)) }));
    return (
      others.find(({ ask, holder }) => holder.receiptId !== ask.receiptId || holder.item !== ask.item)?.holder
        .receiptId ?? null
    );
  });
}

/** Joins the source and the hash. Hashes have one length, so that two different pairs cannot yield the same name. */
function keyName({ id }: Source, keyHash: Buffer): string {
  return id + keyHash.toString("latin1");
}

function arrivalOf({ source, receiptId, receivedAt, mapped }: Entry, email: string, activityId: Uuid): Arrival {
  const { extracted } = mapped;
  return {
    scope: source.scope,
    email,
    name: extracted.contact_name,
    activity: {
      id: activityId,
      kind: "inbound",
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
