import type { Db, Query, Tx } from "../db/db.ts";
import { decodeCursor, floorOf, pageOf, ServiceError } from "../kernel/kernel.ts";
import type { Clock, IdMaker, Page, Uuid } from "../kernel/kernel.ts";
import { ownUuid } from "../workspaces/workspaces.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { claim, findLiving, holdLiving, refuseOurs } from "./claim.ts";
import { fold, tell } from "./fold.ts";
import type { Folded, Stamps } from "./fold.ts";
import { stampOf } from "./position.ts";
import { findTicket, holdTicket, listTickets, updateTicket } from "./ticket.store.ts";
import type { TicketRow } from "./ticket.store.ts";
import { ticketView } from "./views.ts";
import type { TicketView } from "./views.ts";

export interface TicketInput {
  readonly subject?: string | null;
  readonly status?: string;
  readonly priority?: string | null;
  readonly assignee?: string | null;
  readonly customer_id?: string | null;
  readonly customer_external_id?: string;
}

export interface TicketQuery {
  readonly status?: string;
  readonly customer_id?: string;
  readonly priority?: string;
  readonly assignee?: string;
  readonly external_id?: string;
  readonly created_after?: string;
  readonly created_before?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export interface Tickets {
  list(scope: Scope, query: TicketQuery): Promise<Page<TicketView>>;
  get(scope: Scope, id: string): Promise<TicketView>;
  /** Sets what the input names of the ticket with this external id, and makes it when there is none. */
  put(scope: Scope, externalId: string, input: TicketInput): Promise<{ ticket: TicketView; made: boolean }>;
}

export interface TicketsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
}

/** What news may change of a ticket. */
interface TicketFacts {
  readonly [name: string]: string | null;
  readonly customer_id: string | null;
  readonly subject: string | null;
  readonly status: string | null;
  readonly priority: string | null;
  readonly assignee: string | null;
}

type TicketTold = { readonly [Name in keyof TicketFacts]?: string | null | undefined };

export function createTickets(deps: TicketsDeps): Tickets {
  const { db } = deps;
  return {
    list: async (scope, query) => await list(db, scope, query),
    async get(scope, id) {
      const row = await findTicket(db.query, scope, ownUuid(scope, "tkt", id));
      if (row === undefined) throw new ServiceError("not_found");
      return ticketView(scope, row);
    },
    async put(scope, externalId, input) {
      refuseOurs(externalId, "name the ticket by its external_id.");
      if (input.customer_id !== undefined && input.customer_external_id !== undefined) throw twoCustomers();
      const { customer_id: named, customer_external_id: byExternalId, ...facts } = input;
      const customerId = typeof named === "string" ? ownUuid(scope, "con", named) : named;
      const proposed = deps.ids.uuid();
      return await db.transaction(async (tx) => {
        const customer = await customerOf(deps, tx, { scope, customerId, byExternalId });
        const row = await holdTicket(tx, scope, proposed, externalId);
        const told = tell(
          knownOf(row),
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
        message: "must not stand beside customer_id: name the customer once",
      },
    ],
  });
}

async function list(db: Db, scope: Scope, query: TicketQuery): Promise<Page<TicketView>> {
  const { limit = 20, cursor, ...filters } = query;
  const binding = [scope.tag, "tickets", filters];
  const rows = await listTickets(
    db.query,
    scope,
    {
      status: filters.status,
      customerId: filters.customer_id === undefined ? undefined : await livingId(db.query, scope, filters.customer_id),
      priority: filters.priority,
      assignee: filters.assignee,
      externalId: filters.external_id,
      from: floorOf(filters.created_after, "created_after"),
      to: floorOf(filters.created_before, "created_before"),
      before: decodeCursor(cursor, binding),
    },
    limit + 1,
  );
  return pageOf(rows, limit, binding, (row) => ticketView(scope, row));
}

async function livingId(query: Query, scope: Scope, id: string): Promise<Uuid> {
  return (await findLiving(query, scope, ownUuid(scope, "con", id))).id;
}

/** Undefined when the input says nothing of a customer. */
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

/** Puts an event's news on a ticket, whose customer's row is held. */
export async function learnTicket(
  tx: Tx,
  scope: Scope,
  news: { proposed: Uuid; externalId: string; facts: TicketTold; stamp: Uuid },
): Promise<void> {
  const row = await holdTicket(tx, scope, news.proposed, news.externalId);
  await save(tx, scope, row.id, fold(knownOf(row), news.facts, news.stamp));
}

function knownOf({ customer_id, subject, status, priority, assignee, stamps }: TicketRow): Folded<TicketFacts> {
  return { facts: { customer_id, subject, status, priority, assignee }, stamps: stamps as Stamps };
}

async function save(tx: Tx, scope: Scope, id: Uuid, { facts, stamps }: Folded<TicketFacts>): Promise<TicketRow> {
  const { customer_id, status, subject, priority, assignee } = facts;
  return await updateTicket(tx, scope, id, {
    customer_id: customer_id as Uuid | null,
    status: status ?? "open",
    subject,
    priority,
    assignee,
    stamps: { ...stamps },
  });
}
