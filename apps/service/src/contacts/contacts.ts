import type { Db, Tx } from "../platform/db/db.ts";
import type { Clock, IdMaker, Instant, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/workspaces/workspaces.ts";
import { arrive } from "./arrive.store.ts";
import { createCustomers } from "./customers.ts";
import type { Customers } from "./customers.ts";
import { NOBODY_ELSE } from "./external-lookups.ts";
import type { Elsewhere } from "./external-lookups.ts";
import { createExporting } from "./export.ts";
import type { Exporting } from "./export.ts";
import { createMerging } from "./merging.ts";
import type { Merging } from "./merging.ts";
import { createRecords } from "./records.ts";
import type { Records } from "./records.ts";
import { createProjection } from "./projection.ts";
import type { ContactProjection } from "./projection.ts";
import { createReacting } from "./contact-effects.ts";
import type { Reacting } from "./contact-effects.ts";
import { createTickets } from "./tickets.ts";
import type { Tickets } from "./tickets.ts";
import { createTimeline } from "./timeline.ts";
import type { Timeline } from "./timeline.ts";

export { contactRoutes } from "./contacts.routes.ts";
export { ActivityBody, CustomerBody } from "./contacts.schemas.ts";
export { foldEmail } from "./email.ts";
export type { AskedCustomer, Elsewhere, FoundElsewhere, TicketElsewhere, Told } from "./external-lookups.ts";
export type { FoundContact } from "./contact-effects.ts";
export type { HeldContacts } from "./held.ts";
export { MAX_EXTERNAL_ID, MAX_SUBJECT } from "./plain-text.ts";
export type { ActivityView, ContactView, CustomerView } from "./views.ts";
export type { NoteInput } from "./timeline.ts";
export type { UpsertInput } from "./customers.ts";

/** One accepted inbound receipt, or another source of an activity. */
export interface Arrival {
  readonly scope: Scope;
  /** An address; folded here. One that `foldEmail` does not take is refused: throws. */
  readonly email: string;
  /** Put onto the contact unless newer news has named it. */
  readonly name: string | null;
  readonly activity: NewActivity;
}

export interface NewActivity {
  /** An activity that is there already is left as it is and counts nothing. */
  readonly id: Uuid;
  readonly kind: "inbound" | "event" | "action" | "note";
  readonly eventType: string;
  readonly summary: string;
  /** Exact decimal text. */
  readonly value: string | null;
  readonly scoreDelta: number;
  readonly occurredAt: Instant;
  readonly receiptId: Uuid | null;
}

/** Another module that keeps something of a person, such as receipts: it takes part in the export and in the erasure. */
export interface PersonalData {
  /** The member of the export that holds its rows. */
  readonly name: string;
  /** Everything kept of the contact, as it is to be exported. `contactIds` are all ids that the contact ever had. */
  read(scope: Scope, contactIds: readonly Uuid[]): AsyncIterable<object>;
  /** Takes the person out of everything kept, in the transaction that erases the contact. */
  erase(tx: Tx, scope: Scope, contactIds: readonly Uuid[]): Promise<void>;
}

export interface Contacts {
  readonly records: Records;
  readonly merging: Merging;
  readonly exporting: Exporting;
  readonly timeline: Timeline;
  readonly customers: Customers;
  readonly tickets: Tickets;
  /** To be registered with `dispatch`. */
  readonly projection: ContactProjection;
  readonly reacting: Reacting;
  /**
   * Finds or creates each arrival's contact by e-mail, adds the activity and adjusts the score, inside the caller's
   * transaction; answers contact ids in the order of the arrivals. Many at once, of any workspaces: a fixed number of
   * statements, rows locked in one order.
   */
  arrive(tx: Tx, arrivals: readonly Arrival[]): Promise<readonly Uuid[]>;
  /** Called once, by whoever wires the service. */
  register(holder: PersonalData): void;
  /** Called once, likewise: who else knows of people. */
  connect(elsewhere: Elsewhere): void;
}

export interface ContactsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  /** The catalogue's title of an event; undefined for custom ones. */
  readonly titleOf: (name: string) => string | undefined;
}

export function createContacts(deps: ContactsDeps): Contacts {
  const holders: PersonalData[] = [];
  let others = NOBODY_ELSE;
  const elsewhere = (): Elsewhere => others;
  return {
    records: createRecords(deps),
    merging: createMerging({ ...deps, holders }),
    exporting: createExporting({ ...deps, holders }),
    timeline: createTimeline(deps),
    customers: createCustomers({ ...deps, elsewhere }),
    tickets: createTickets({ ...deps, elsewhere }),
    projection: createProjection(deps),
    reacting: createReacting(deps),
    register: (holder) => void holders.push(holder),
    connect: (connected) => {
      others = connected;
    },
    arrive: async (tx, arrivals) => await arrive(tx, arrivals, deps.ids),
  };
}
