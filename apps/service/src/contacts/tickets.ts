import type { Db, Query, Tx } from "../platform/db/db.ts";
import { minUuidAt, paginate, orNotFound, ServiceError } from "../lib/lib.ts";
import type { Clock, IdMaker, Page, Uuid, t } from "../lib/lib.ts";
import { ownUuid } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import { claim, findLiving, holdLiving, assertExternalId } from "./claim.ts";
import { askedCustomer } from "./external-lookups.ts";
import type { ExternalDirectory, FoundTicket, ProviderResult } from "./external-lookups.ts";
import { fold, mergeFacts } from "./last-write-wins.ts";
import type { Folded, Stamps } from "./last-write-wins.ts";
import { stampOf } from "./position.ts";
import { findTicket, findTickets, holdTicket, listTickets, updateTicket } from "./ticket.store.ts";
import type { TicketRow, TicketValues } from "./ticket.store.ts";
import { identitiesOf } from "./contact.store.ts";
import type { ContactRow } from "./contact.store.ts";
import { customerView, ticketView } from "./contact-views.ts";
import type { TicketView } from "./contact-views.ts";
import type * as shapes from "./contacts.schemas.ts";

export type TicketInput = t.Static<typeof shapes.TicketBody>;

export type TicketQuery = t.Static<typeof shapes.TicketListQuery>;

export interface TicketPage extends Page<TicketView> {
  /** The connectors that were queried for the customer's tickets. */
  readonly connectors?: ProviderResult[];
}

export type Tickets = ReturnType<typeof createTickets>;

export interface TicketsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly elsewhere: () => ExternalDirectory;
}

/** The facts of a ticket that an update can change. */
export interface TicketFacts {
  readonly [name: string]: string | null;
  readonly customer_id: string | null;
  readonly subject: string | null;
  readonly status: string | null;
  readonly priority: string | null;
  readonly assignee: string | null;
}

type TicketTold = { readonly [Name in keyof TicketFacts]?: string | null | undefined };

export function createTickets(deps: TicketsDeps) {
  const { db } = deps;
  return {
    /** Lists tickets. For the first page of one customer, connectors are queried too, and their tickets are stored. */
    list: async (scope: Scope, query: TicketQuery): Promise<TicketPage> => await list(deps, scope, query),
    async get(scope: Scope, id: string): Promise<TicketView> {
      return ticketView(scope, orNotFound(await findTicket(db.query, scope, ownUuid(scope, "tkt", id))));
    },
    /** Sets the named members of the ticket with this external id, and creates the ticket if there is none. */
    async put(scope: Scope, externalId: string, input: TicketInput): Promise<{ ticket: TicketView; made: boolean }> {
      assertExternalId(externalId, "use the external_id of the ticket.");
      if (input.customer_id !== undefined && input.customer_external_id !== undefined) throw twoCustomers();
      const { customer_id: named, customer_external_id: byExternalId, ...facts } = input;
      const customerId = typeof named === "string" ? ownUuid(scope, "con", named) : named;
      const proposed = deps.ids.uuid();
      return await db.transaction(async (tx) => {
        const customer = await customerOf(deps, tx, { scope, customerId, byExternalId });
        const row = await holdTicket(tx, scope, proposed, externalId);
        const told = mergeFacts(
          ticketFactsOf(row),
          { ...facts, customer_id: customer },
          stampOf(deps.clock.now(), deps.ids.uuid()),
        );
        return { ticket: ticketView(scope, await save(tx, scope, row.id, told)), made: row.id === proposed };
      });
    },
  };
}

function twoCustomers(): ServiceError {
  return new ServiceError("validation_failed", {
    errors: [
      {
        pointer: "/customer_external_id",
        code: "conflict",
        message: "must not be used together with customer_id: identify the customer once",
      },
    ],
  });
}

async function list(deps: TicketsDeps, scope: Scope, query: TicketQuery): Promise<TicketPage> {
  const { db } = deps;
  const { limit, cursor, ...filters } = query;
  const named = filters.customer_id;
  const told =
    named === undefined || cursor !== undefined
      ? []
      : await askElsewhere(deps, scope, await living(db.query, scope, named));
  // While connectors are queried, the customer can be merged into another.
  const customer = named === undefined ? undefined : await living(db.query, scope, named);
  const filter = {
    status: filters.status,
    customer_id: customer?.id,
    priority: filters.priority,
    assignee: filters.assignee,
    external_id: filters.external_id,
    from: minUuidAt(filters.created_after, "created_after"),
    to: minUuidAt(filters.created_before, "created_before"),
  };
  const page = await paginate(
    { limit, cursor },
    {
      binding: [scope.tag, "tickets", filters],
      read: async (before, count) => await listTickets(db.query, scope, { ...filter, before }, count),
      view: (row) => ticketView(scope, row),
    },
  );
  return told.length === 0 ? page : { ...page, connectors: told };
}

async function living(query: Query, scope: Scope, id: string): Promise<ContactRow> {
  return await findLiving(query, scope, ownUuid(scope, "con", id));
}

/** Stores the tickets of a customer that connectors return. Known facts are not written again. */
async function askElsewhere(deps: TicketsDeps, scope: Scope, contact: ContactRow): Promise<ProviderResult[]> {
  const { db, ids, clock, elsewhere } = deps;
  const identities = await identitiesOf(db.query, scope, [contact.id]);
  const customer = customerView(scope, contact, { identities, ticketsOpen: new Map() });
  const { tickets, told } = await elsewhere().tickets(scope, askedCustomer(customer));
  const known = new Map(
    (
      await findTickets(
        db.query,
        scope,
        tickets.map(({ externalId }) => externalId),
      )
    ).map((row) => [row.external_id, row]),
  );
  // Tickets are written in one order, so that two readers of the same customer do not deadlock.
  const news = tickets
    .filter((ticket) => isNews(ticket, contact.id, known.get(ticket.externalId)))
    .toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1));
  if (news.length === 0) return told;
  await db.transaction(async (tx) => {
    const { id: customerId } = await holdLiving(tx, scope, contact.id);
    for (const { externalId, ...facts } of news)
      await learnTicket(tx, scope, {
        proposed: ids.uuid(),
        externalId,
        facts: { ...facts, customer_id: customerId },
        stamp: stampOf(clock.now(), ids.uuid()),
      });
  });
  return told;
}

function isNews({ externalId: _id, ...facts }: FoundTicket, customerId: Uuid, row: TicketRow | undefined): boolean {
  if (row === undefined || row.customer_id !== customerId) return true;
  return Object.entries(facts).some(
    ([name, value]) => value !== undefined && row[name as keyof typeof facts] !== value,
  );
}

/** Returns undefined if the input names no customer. */
async function customerOf(
  deps: TicketsDeps,
  tx: Tx,
  named: { scope: Scope; customerId: Uuid | null | undefined; byExternalId: string | undefined },
): Promise<Uuid | null | undefined> {
  const { scope, customerId, byExternalId } = named;
  if (byExternalId !== undefined)
    return (await claim(tx, scope, { externalId: byExternalId }, deps.ids.uuid())).contact.id;
  return typeof customerId === "string" ? (await holdLiving(tx, scope, customerId)).id : customerId;
}

/** Applies reported facts to a ticket, whose customer's row is locked. */
export async function learnTicket(
  tx: Tx,
  scope: Scope,
  news: { proposed: Uuid; externalId: string; facts: TicketTold; stamp: Uuid },
): Promise<void> {
  const row = await holdTicket(tx, scope, news.proposed, news.externalId);
  await save(tx, scope, row.id, fold(ticketFactsOf(row), news.facts, news.stamp));
}

export function ticketFactsOf({
  customer_id,
  subject,
  status,
  priority,
  assignee,
  stamps,
}: TicketRow): Folded<TicketFacts> {
  return { facts: { customer_id, subject, status, priority, assignee }, stamps: stamps as Stamps };
}

async function save(tx: Tx, scope: Scope, id: Uuid, known: Folded<TicketFacts>): Promise<TicketRow> {
  return await updateTicket(tx, scope, id, ticketValues(known));
}

/** Returns the known facts of a ticket as columns. */
export function ticketValues({ facts, stamps }: Folded<TicketFacts>): TicketValues & { readonly stamps: Stamps } {
  const { customer_id, status, subject, priority, assignee } = facts;
  return {
    customer_id: customer_id as Uuid | null,
    status: status ?? "open",
    subject,
    priority,
    assignee,
    stamps: { ...stamps },
  };
}
