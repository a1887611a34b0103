import type { CommitPart, Tx } from "../platform/db/db.ts";
import type { IdMaker, Tag, TenantKey, Uuid } from "../lib/lib.ts";
import { fold } from "./last-write-wins.ts";
import type { Folded } from "./last-write-wins.ts";
import { holdTickets, ticketsPart } from "./learning.store.ts";
import type { LearntTicket, ProposedTicket } from "./learning.store.ts";
import type { TicketNews } from "./news.ts";
import { ticketFactsOf, ticketValues } from "./tickets.ts";
import type { TicketFacts } from "./tickets.ts";

interface Ticket {
  readonly bucket: number;
  readonly tag: Tag;
  readonly id: Uuid;
  readonly externalId: string;
  known: Folded<TicketFacts>;
}

/** The facts of a ticket in an event, and the time at which they were true. */
export interface TicketLesson {
  readonly place: TenantKey;
  readonly ticket: TicketNews;
  readonly stamp: Uuid;
}

/** Tickets that are locked until the transaction ends, with the facts of a batch of events. */
export type Tickets = Awaited<ReturnType<typeof holdTicketsOf>>;

/** Locks the tickets. Their customers' contacts are locked already. */
export async function holdTicketsOf(tx: Tx, ids: IdMaker, lessons: readonly TicketLesson[]) {
  const proposed = new Map<string, ProposedTicket>();
  for (const { place, ticket } of lessons) {
    const { bucket, tag } = place;
    const { externalId } = ticket;
    const key = keyOf(tag, externalId);
    if (!proposed.has(key)) proposed.set(key, { bucket, tag, id: ids.uuid(), externalId });
  }
  const rows = proposed.size === 0 ? [] : await holdTickets(tx, [...proposed.values()]);
  const tickets = new Map(
    rows.map((row): [string, Ticket] => {
      const { bucket, tag, id, external_id: externalId } = row;
      return [keyOf(tag, externalId), { bucket, tag, id, externalId, known: ticketFactsOf(row) }];
    }),
  );
  const learnt = new Set<Ticket>();
  return {
    learn({ place, ticket: { externalId, ...facts }, stamp }: TicketLesson, customerId: Uuid | undefined): void {
      const ticket = tickets.get(keyOf(place.tag, externalId));
      if (ticket === undefined) throw new Error("a ticket is not held");
      ticket.known = fold(ticket.known, { ...facts, customer_id: customerId }, stamp);
      learnt.add(ticket);
    },
    /** Returns the writes of the learned facts, each ticket once. */
    part: (): CommitPart => ticketsPart([...learnt].map(rowOf)),
  };
}

function rowOf({ bucket, tag, id, externalId, known }: Ticket): LearntTicket {
  const { stamps, ...values } = ticketValues(known);
  return { bucket, tag, id, externalId, ...values, stamps: JSON.stringify(stamps) };
}

function keyOf(tag: Tag, externalId: string): string {
  return `${tag} ${externalId}`;
}
