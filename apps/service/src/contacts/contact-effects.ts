import type { Db, HotReader, Query } from "../platform/db/db.ts";
import { isRecord, parseId, parseJson, ServiceError } from "../lib/lib.ts";
import type { TenantKey, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import { findLiving } from "./claim.ts";
import { contactIdOf } from "./contact.store.ts";
import type { ContactRow } from "./contact.store.ts";
import { normalizeEmail } from "./email.ts";
import { contactIdsOf, wholeContacts } from "./finding.store.ts";
import type { ContactKey, Lead } from "./finding.store.ts";
import { holdAll } from "./held.ts";
import { partsOf } from "./parts.ts";
import { contactView } from "./contact-views.ts";
import type { ContactView } from "./contact-views.ts";

/** The identities of a contact in an event. The first that leads to a contact counts. */
interface ContactHints {
  readonly id?: Uuid | undefined;
  readonly externalId?: string | undefined;
  readonly email?: string | undefined;
}

export interface FoundContact {
  readonly id: Uuid;
  readonly view: ContactView;
}

/** The database, or a transaction. */
export interface Reads extends HotReader {
  readonly query: Query;
}

export interface AboutContact {
  readonly scope: Scope;
  /** JSON text. */
  readonly data: string;
}

/** The contacts of events, for automations, and changes of contacts inside their transactions. */
export type Reacting = ReturnType<typeof createReacting>;

export function createReacting({ db }: { readonly db: Db }) {
  return {
    /**
     * Returns the contact of an event: `data.contact_id`, or else `data.customer.external_id`, or else
     * `data.customer.email`. `data` is JSON text.
     */
    find: async (scope: Scope, data: string, query: Query = db.query): Promise<FoundContact | undefined> =>
      await findOne(query, { scope, data }),
    /** Returns the contacts of many events of any workspaces, in their order, with a fixed number of statements. */
    findAll,
    /** Locks contacts until the transaction ends, so that automations can change them. */
    holdAll,
  };
}

async function findOne(query: Query, { scope, data }: AboutContact): Promise<FoundContact | undefined> {
  const row = await hinted(query, scope, hintsOf(scope, data));
  if (row === undefined) return undefined;
  return { id: row.id, view: contactView(scope, row, await partsOf(query, scope, [row.id])) };
}

async function findAll(on: Reads, events: readonly AboutContact[]): Promise<(FoundContact | undefined)[]> {
  const ids = await leadingTo(on, events);
  const keys = events.flatMap(({ scope: { bucket, tag } }, at): [Uuid, ContactKey][] => {
    const id = ids[at];
    return id === undefined ? [] : [[id, { bucket, tag, id }]];
  });
  const contacts = await wholeContacts(on, [...new Map(keys).values()]);
  return await Promise.all(
    events.map(async (event, at) => {
      const id = ids[at];
      const whole = id === undefined ? undefined : contacts.get(id);
      // The contact was merged into another one or erased, which is rare enough for a separate lookup.
      if (whole === undefined) return id === undefined ? undefined : await findOne(on.query, event);
      const { row, identities, ticketsOpen } = whole;
      const parts = { identities, ticketsOpen: new Map([[row.id, ticketsOpen]]) };
      return { id: row.id, view: contactView(event.scope, row, parts) };
    }),
  );
}

/** Returns the contact that each event names, or that the first of its identities leads to. */
async function leadingTo(on: Reads, events: readonly AboutContact[]): Promise<(Uuid | undefined)[]> {
  const hints = events.map(({ scope, data }) => hintsOf(scope, data));
  const leads = events.flatMap(({ scope }, at) => leadsOf(scope, hints[at] ?? {}).map((lead) => ({ ...lead, at })));
  const found = await contactIdsOf(on, leads);
  const led = new Map<number, Uuid>();
  leads.forEach(({ at }, index) => {
    const id = found[index] ?? undefined;
    if (id !== undefined && !led.has(at)) led.set(at, id);
  });
  return hints.map(({ id }, at) => id ?? led.get(at));
}

function leadsOf({ bucket, tag }: TenantKey, hints: ContactHints): Lead[] {
  const email = hints.email === undefined ? undefined : normalizeEmail(hints.email);
  return [
    ...(hints.externalId === undefined ? [] : [{ bucket, tag, kind: "external_id" as const, value: hints.externalId }]),
    ...(email === undefined ? [] : [{ bucket, tag, kind: "email" as const, value: email }]),
  ];
}

function hintsOf(scope: Pick<Scope, "tag">, data: string): ContactHints {
  const { contact_id: contactId, customer } = membersOf(parseJson(data));
  const { external_id: externalId, email } = membersOf(customer);
  const parsed = typeof contactId === "string" ? parseId(contactId) : undefined;
  return {
    id: parsed?.prefix === "con" && parsed.tag === scope.tag ? parsed.uuid : undefined,
    externalId: typeof externalId === "string" ? externalId : undefined,
    email: typeof email === "string" ? email : undefined,
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

async function hinted(query: Query, place: TenantKey, hints: ContactHints): Promise<ContactRow | undefined> {
  const email = hints.email === undefined ? undefined : normalizeEmail(hints.email);
  const byId = hints.id === undefined ? undefined : await unlessGone(findLiving(query, place, hints.id));
  if (byId !== undefined) return byId;
  for (const [kind, value] of [["external_id", hints.externalId] as const, ["email", email] as const]) {
    const id = value === undefined ? undefined : await contactIdOf(query, place, { kind, value });
    if (id !== undefined) return await unlessGone(findLiving(query, place, id));
  }
  return undefined;
}

async function unlessGone(found: Promise<ContactRow>): Promise<ContactRow | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return undefined;
    throw error;
  }
}
