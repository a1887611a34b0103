import type { Searchable } from "../insights/insights.ts";
import type { Db, Tx } from "../platform/db/db.ts";
import type { Clock, IdMaker, Uuid } from "../lib/lib.ts";
import { arrive } from "./arrive.store.ts";
import { createCustomers } from "./customers.ts";
import type { Customers } from "./customers.ts";
import type { ExternalDirectory } from "./external-lookups.ts";
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
import { findContacts, findTicketsByText } from "./search.store.ts";
import { createTimeline } from "./timeline.ts";
import type { Timeline } from "./timeline.ts";
import type { Arrival, PersonalData } from "./ports.ts";

export { ActivityBody, CustomerBody } from "./contacts.schemas.ts";
export { normalizeEmail } from "./email.ts";
export type {
  AskedCustomer,
  ExternalDirectory,
  FoundCustomer,
  FoundTicket,
  ProviderResult,
} from "./external-lookups.ts";
export type { FoundContact } from "./contact-effects.ts";
export type { HeldContacts } from "./held.ts";
export { MAX_EXTERNAL_ID, MAX_SUBJECT } from "./plain-text.ts";
export type { ActivityView, ContactView, CustomerView } from "./contact-views.ts";
export type { Arrival, PersonalData } from "./ports.ts";

export interface Contacts {
  readonly records: Records;
  readonly merging: Merging;
  readonly exporting: Exporting;
  readonly timeline: Timeline;
  readonly customers: Customers;
  readonly tickets: Tickets;
  /** The subscriber to register with `dispatch`. */
  readonly projection: ContactProjection;
  readonly reacting: Reacting;
  readonly searchables: readonly Searchable[];
  /**
   * Finds or creates each arrival's contact by e-mail, adds the activity and adjusts the score, inside the caller's
   * transaction. Returns contact ids in the order of the arrivals. It takes a fixed number of statements for arrivals
   * of any workspaces, and locks rows in one order.
   */
  arrive(tx: Tx, arrivals: readonly Arrival[]): Promise<readonly Uuid[]>;
}

export interface ContactsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  /** Returns the catalog's title of an event; undefined for custom events. */
  readonly titleOf: (name: string) => string | undefined;
  /** The personal data that other modules store. */
  readonly personalData: () => readonly PersonalData[];
  /** The lookups of people in connectors. */
  readonly elsewhere: () => ExternalDirectory;
}

export function createContacts(deps: ContactsDeps): Contacts {
  return {
    records: createRecords(deps),
    merging: createMerging(deps),
    exporting: createExporting(deps),
    timeline: createTimeline(deps),
    customers: createCustomers(deps),
    tickets: createTickets(deps),
    projection: createProjection(deps),
    reacting: createReacting(deps),
    searchables: [
      {
        kind: "contact",
        operation: "contacts.list",
        find: async (scope, sought) => await findContacts(deps.db, scope, sought),
      },
      {
        kind: "ticket",
        operation: "tickets.list",
        find: async (scope, sought) => await findTicketsByText(deps.db, scope, sought),
      },
    ],
    arrive: async (tx, arrivals) => await arrive(tx, arrivals, deps.ids),
  };
}
