import { findEventType } from "../apps/service/src/events/catalogue/catalogue.ts";
import type { Json } from "../apps/service/src/lib/lib.ts";

/** The events that a load fires. Crosses from one process to another as JSON. */
export interface Workload {
  /** Event names, by turns. The data comes from the catalogue's examples, by turns too. */
  readonly names: readonly string[];
  /** The share of the events, 0 to 1, that are about one customer. */
  readonly hotShare: number;
  /** The number of tenants that the events belong to, one each by chance. Without it, they have none. */
  readonly tenants?: number;
}

/** Number of customers in the events. */
export const PEOPLE = 100_000;
/** Number of customers that are contacts before the first event. The others become contacts with their first event. */
export const KNOWN_PEOPLE = 90_000;
/** The size of `data`. The longest of the ten examples has 549 bytes before it gets its stamp. */
export const DATA_BYTES = 600;

/** The event that the bench's rule listens to, and the one that starts its workflow. */
export const RULE_EVENT = "order.paid";
export const WORKFLOW_EVENT = "cart.abandoned";

/** Ten of the catalogue's 52 events. Each names a customer, two name a ticket. */
const NAMES = [
  "order.created",
  RULE_EVENT,
  WORKFLOW_EVENT,
  "checkout.completed",
  "invoice.paid",
  "payment.completed",
  "subscription.renewed",
  "ticket.created",
  "ticket.replied",
  "contact.updated",
] as const;

/** Events as users fire them: one in ten is about the same customer. */
export const CATALOGUE: Workload = { names: NAMES, hotShare: 0.1 };
/** The same events, all about one customer. */
export const HOT: Workload = { names: NAMES, hotShare: 1 };

/** The same data under a name that is not in the catalogue: only webhooks listen to it. */
export function custom(name: string): Workload {
  return { names: [name], hotShare: CATALOGUE.hotShare };
}

/** A stamp in `data` that lets the receiver compute the time since the event was fired. Its width is fixed, because it is patched into a ready request. */
export const STAMP_MARK = '"sent_us":"';
export const STAMP_DIGITS = 16;
/** Stands for the number of the tenant, which `tenants` counts from 0. */
export const TENANT_MARK = "@@@@";
/** Stands for the customer's number wherever an example names the customer or a ticket of theirs. */
export const PERSON_MARK = "#########";

/** The data of each of the ten events, as JSON text, with a stamp of zeros and with PERSON_MARK for the customer's number. */
export const SAMPLES: readonly string[] = NAMES.map((name) => sampleOf(name));

export function stampOf(micros: number): string {
  return String(micros).padStart(STAMP_DIGITS, "0");
}

/** The customer's number as it replaces PERSON_MARK. */
export function personDigits(person: number): string {
  return String(person).padStart(PERSON_MARK.length, "0");
}

/** A customer by chance: the hot one, number 0, as often as the share says. */
export function anyPerson(hotShare: number): number {
  return Math.random() < hotShare ? 0 : 1 + Math.floor(Math.random() * (PEOPLE - 1));
}

function sampleOf(name: string): string {
  const example = findEventType(name)?.example;
  if (example === undefined) throw new Error(`${name} is not in the catalogue`);
  const data = {
    ...example,
    customer: { ...membersOf(example["customer"]), ...customerOf(PERSON_MARK) },
    ...(example["ticket"] === undefined
      ? {}
      : { ticket: { ...membersOf(example["ticket"]), external_id: `tck_${PERSON_MARK}` } }),
    sent_us: "0".repeat(STAMP_DIGITS),
  };
  const bare = JSON.stringify({ ...data, note: "" });
  const missing = DATA_BYTES - Buffer.byteLength(bare);
  if (missing < 0) throw new Error(`the example of ${name} is longer than ${DATA_BYTES} bytes`);
  return JSON.stringify({ ...data, note: "x".repeat(missing) });
}

/** The identities of a customer; `number` is SQL or digits. */
export function customerOf(number: string): { readonly external_id: string; readonly email: string } {
  return { external_id: `cus_${number}`, email: `person-${number}@example.com` };
}

function membersOf(value: Json | undefined): Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : {};
}
