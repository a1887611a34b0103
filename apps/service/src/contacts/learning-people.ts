import type { CommitPart, Tx } from "../platform/db/db.ts";
import type { IdMaker, Tag, TenantKey, Uuid } from "../lib/lib.ts";
import type { IdentityKind } from "./contact.store.ts";
import { fold } from "./last-write-wins.ts";
import type { Folded } from "./last-write-wins.ts";
import { contactsPart, holdPeople, identitiesPart } from "./learning.store.ts";
import type { IdentifiedRow, LearntContact, ProposedIdentity } from "./learning.store.ts";
import type { CustomerNews } from "./news.ts";
import { factValues, knownOf, NOBODY } from "./records.ts";
import type { PersonFacts } from "./records.ts";

interface Identity extends ProposedIdentity {
  /** The contact that the identity leads to; undefined if there is none yet. */
  owner: Uuid | undefined;
  isNew: boolean;
}

interface Person {
  readonly bucket: number;
  readonly tag: Tag;
  readonly id: Uuid;
  known: Folded<PersonFacts>;
  lastActivityAt: Date | null;
}

/** The facts of a customer in an event, and the time at which they were true. */
export interface CustomerLesson {
  readonly place: TenantKey;
  readonly customer: CustomerNews;
  readonly stamp: Uuid;
  readonly occurredAt: Date;
}

/** Contacts that are locked until the transaction ends, with the facts of a batch of events. */
export type People = Awaited<ReturnType<typeof holdPeopleOf>>;

interface KnownPeople {
  readonly identities: ReadonlyMap<string, Identity>;
  readonly people: Map<string, Person>;
}

export async function holdPeopleOf(tx: Tx, ids: IdMaker, lessons: readonly CustomerLesson[]) {
  const identities = identitiesOf(ids, lessons);
  const proposed = [...identities.values()];
  const rows = proposed.length === 0 ? [] : await holdPeople(tx, proposed);
  const known: KnownPeople = { identities, people: new Map() };
  for (const row of rows) know(known, proposed[row.at - 1], row);
  const learnt = new Set<Person>();
  return {
    /**
     * Applies a lesson to its contact, which is found by external id, or else by e-mail, or else created. Returns the
     * contact's id, or the reason why there is none.
     */
    learn(lesson: CustomerLesson): Uuid | Error {
      const person = personOf(known, lesson);
      if (person instanceof Error) return person;
      person.lastActivityAt = latest(person.lastActivityAt, lesson.occurredAt);
      learnt.add(person);
      return person.id;
    },
    /**
     * Returns the writes of the learned facts, each contact once. The parts are always the same, so that they are planned
     * as one statement.
     */
    parts(): CommitPart[] {
      const moved = [...identities.values()].filter(isMoved).map((one) => ({ ...one, contactId: one.owner }));
      return [identitiesPart(moved), contactsPart([...learnt].map(rowOf))];
    },
  };
}

function identitiesOf(ids: IdMaker, lessons: readonly CustomerLesson[]): Map<string, Identity> {
  const identities = new Map<string, Identity>();
  for (const { place, customer } of lessons) {
    // All identities in one event lead to one contact, if none of them leads to a contact yet.
    const contactId = ids.uuid();
    const { bucket, tag } = place;
    for (const [kind, value] of namedBy(customer)) {
      const key = keyOf(place, kind, value);
      if (!identities.has(key))
        identities.set(key, { bucket, tag, kind, value, contactId, owner: undefined, isNew: true });
    }
  }
  return identities;
}

function know({ people }: KnownPeople, identity: Identity | undefined, row: IdentifiedRow): void {
  const isProposed = !row.is_known && row.contact_id === identity?.contactId;
  if (identity === undefined || isProposed) return;
  identity.owner = row.contact_id;
  identity.isNew = false;
  if (row.is_known) people.set(personKey(identity, row.contact_id), newPerson(identity, row.contact_id, knownOf(row)));
}

/** Returns the contact of a customer, with the update applied. */
function personOf(known: KnownPeople, { place, customer, stamp }: CustomerLesson): Person | Error {
  const { externalId, email } = customer;
  const byExternalId = known.identities.get(keyOf(place, "external_id", externalId ?? ""));
  const byEmail = known.identities.get(keyOf(place, "email", email ?? ""));
  const named = [byExternalId, byEmail].filter((identity) => identity !== undefined);
  const person = ownerOf(known, place, named);
  if (person instanceof Error) return person;
  for (const identity of named) identity.owner ??= person.id;
  person.known = fold(person.known, factsOf(customer, byEmail?.owner === person.id), stamp);
  return person;
}

/**
 * Returns the contact of the identities. If they lead to different contacts, the first decides, because only a person
 * can decide to merge contacts.
 */
function ownerOf({ people }: KnownPeople, place: TenantKey, named: readonly Identity[]): Person | Error {
  const owner = named.find((identity) => identity.owner !== undefined)?.owner;
  if (owner !== undefined)
    return people.get(personKey(place, owner)) ?? new Error("No contact has this identity of the customer.");
  const [first] = named;
  if (first === undefined) return new Error("The customer has neither an external id nor an e-mail address.");
  const made = newPerson(place, first.contactId, NOBODY);
  people.set(personKey(place, made.id), made);
  return made;
}

function isMoved(identity: Identity): identity is Identity & { owner: Uuid } {
  return identity.isNew && identity.owner !== undefined && identity.owner !== identity.contactId;
}

function latest(known: Date | null, next: Date): Date {
  return known !== null && known > next ? known : next;
}

function namedBy({ externalId, email }: CustomerNews): (readonly [IdentityKind, string])[] {
  return [
    ...(externalId === undefined ? [] : [["external_id", externalId] as const]),
    ...(email === undefined ? [] : [["email", email] as const]),
  ];
}

/** Returns the facts of a customer. An address that belongs to another contact stays there. */
function factsOf({ email, name, toldStage, impliedStage }: CustomerNews, isTheirEmail: boolean) {
  return { email: isTheirEmail ? email : undefined, name, told_stage: toldStage, implied_stage: impliedStage };
}

function newPerson({ bucket, tag }: TenantKey, id: Uuid, known: Folded<PersonFacts>): Person {
  return { bucket, tag, id, known, lastActivityAt: null };
}

function rowOf({ bucket, tag, id, known, lastActivityAt }: Person): LearntContact {
  const { stamps, ...facts } = factValues(known);
  return { bucket, tag, id, ...facts, stamps: JSON.stringify(stamps), last_activity_at: lastActivityAt };
}

function keyOf({ tag }: TenantKey, kind: IdentityKind, value: string): string {
  return `${tag} ${kind} ${value}`;
}

function personKey({ tag }: TenantKey, id: Uuid): string {
  return `${tag} ${id}`;
}
