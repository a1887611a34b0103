import { scanJson } from "../lib/lib.ts";
import type { ScannedJson } from "../lib/lib.ts";
import { normalizeEmail } from "./email.ts";
import { MAX_ASSIGNEE, MAX_EXTERNAL_ID, MAX_NAME, MAX_STAGE, MAX_SUBJECT, MAX_WORD, plainText } from "./plain-text.ts";

/** A customer as an event names it. At least one of the first two members is set. */
export interface CustomerNews {
  readonly externalId: string | undefined;
  readonly email: string | undefined;
  readonly name: string | undefined;
  readonly toldStage: string | undefined;
  readonly impliedStage: string | undefined;
}

/** A ticket after an event. Undefined members were not named. */
export interface TicketNews {
  readonly externalId: string;
  readonly subject: string | undefined;
  readonly status: string | undefined;
  readonly priority: string | undefined;
  readonly assignee: string | null | undefined;
}

export interface News {
  readonly customer: CustomerNews | undefined;
  readonly ticket: TicketNews | undefined;
  /** The subject of the event, in a few words; empty if the event names none. */
  readonly about: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The stage that an event implies for a customer whose stage it does not name. */
const IMPLIED_STAGE: Readonly<Record<string, (data: Json) => string>> = {
  "contact.created": () => "lead",
  "customer.signed_up": () => "customer",
  "customer.deleted": () => "churned",
  "crm.deal.won": () => "customer",
  "subscription.created": (data) =>
    memberText(memberOf(data, "subscription"), "status", MAX_WORD) === "trialing" ? "trial" : "customer",
  "subscription.renewed": () => "customer",
  "subscription.trial_ending": () => "trial",
  "subscription.cancelled": () => "churned",
};

/** The status that an event implies for a ticket whose status it does not name. */
const IMPLIED_STATUS: Readonly<Record<string, string>> = {
  "ticket.created": "open",
  "ticket.reopened": "open",
  "ticket.resolved": "resolved",
};

/** The possible subjects of an event, and the members that describe one most briefly. */
const SUBJECTS = [
  "ticket",
  "order",
  "invoice",
  "payment",
  "subscription",
  "dispute",
  "checkout",
  "cart",
  "deal",
  "segment",
];
const LABELS = ["subject", "name", "number", "plan", "external_id"];

/**
 * Returns the facts of a canonical event about a customer (`data.customer`) and a ticket (`data.ticket`); undefined if
 * it names neither. Members with another type than in the catalog are ignored: `data` is not refused for them, so they
 * must not stop a stage.
 */
export function newsOf(name: string, data: string): News | undefined {
  // Most events name neither, and are not worth parsing. A name may be written with escapes.
  if (!data.includes('"customer"') && !data.includes('"ticket"') && !data.includes("\\u")) return undefined;
  const scanned = scanJson(Buffer.from(data));
  const whole = recordOf(scanned.value);
  const customer = customerOf(name, scanned, whole);
  const ticket = ticketOf(name, scanned, whole);
  return customer === undefined && ticket === undefined ? undefined : { customer, ticket, about: aboutOf(whole) };
}

function customerOf(name: string, scanned: ScannedJson, whole: Json): CustomerNews | undefined {
  const customer = memberOf(whole, "customer");
  const externalId = externalIdOf(scanned, "customer", customer);
  const address = customer["email"];
  const email = typeof address === "string" ? normalizeEmail(plainText(address, 1000)) : undefined;
  if (externalId === undefined && email === undefined) return undefined;
  const toldStage = memberText(customer, "lifecycle_stage", MAX_STAGE);
  return {
    externalId,
    email,
    name: memberText(customer, "name", MAX_NAME),
    toldStage,
    impliedStage: toldStage === undefined ? IMPLIED_STAGE[name]?.(whole) : undefined,
  };
}

function ticketOf(name: string, scanned: ScannedJson, whole: Json): TicketNews | undefined {
  const ticket = memberOf(whole, "ticket");
  const externalId = externalIdOf(scanned, "ticket", ticket);
  if (externalId === undefined) return undefined;
  return {
    externalId,
    subject: memberText(ticket, "subject", MAX_SUBJECT),
    status: memberText(ticket, "status", MAX_WORD) ?? IMPLIED_STATUS[name],
    priority: memberText(ticket, "priority", MAX_WORD),
    assignee:
      ticket["assignee"] === null ? null : (memberText(ticket, "assignee", MAX_ASSIGNEE) ?? agentOf(name, whole)),
  };
}

/** Returns the agent of `ticket.assigned`, which may name the assignee instead of the ticket. */
function agentOf(name: string, whole: Json): string | undefined {
  if (name !== "ticket.assigned") return undefined;
  const agent = memberOf(whole, "agent");
  return memberText(agent, "email", MAX_ASSIGNEE) ?? memberText(agent, "name", MAX_ASSIGNEE);
}

function aboutOf(whole: Json): string {
  for (const subject of SUBJECTS) {
    const member = memberOf(whole, subject);
    const label = LABELS.find((name) => memberText(member, name, MAX_SUBJECT) !== undefined);
    if (label !== undefined) return memberText(member, label, MAX_SUBJECT) ?? "";
  }
  return "";
}

/**
 * Accepts an id only as a whole, because a part of one could be that of another. A platform that numbers its customers
 * sends a number, whose digits are the id, regardless of how many there are.
 */
function externalIdOf(scanned: ScannedJson, member: string, entity: Json): string | undefined {
  const value = entity["external_id"];
  if (typeof value === "number") {
    const source = scanned.slice([member, "external_id"]) ?? "";
    return /^-?\d{1,255}$/.test(source) ? source : undefined;
  }
  return typeof value === "string" && value !== "" && plainText(value, MAX_EXTERNAL_ID) === value ? value : undefined;
}

function memberText(record: Json, name: string, maxLength: number): string | undefined {
  const value = record[name];
  const text = typeof value === "string" ? plainText(value, maxLength) : "";
  return text === "" ? undefined : text;
}

function memberOf(record: Json, name: string): Json {
  return recordOf(record[name]);
}

function recordOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
