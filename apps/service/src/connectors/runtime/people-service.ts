import { ActivityBody, CustomerBody, MAX_EXTERNAL_ID } from "../../contacts/contacts.ts";
import type { Contacts } from "../../contacts/contacts.ts";
import type { Db } from "../../platform/db/db.ts";
import { HostError } from "../sandbox/hosts.ts";
import type { Json } from "../../lib/lib.ts";
import { ServiceError, t } from "../../lib/lib.ts";
import { placeOf, assertNotReading } from "./context.ts";
import type { CallContext } from "./context.ts";
import { once } from "./effects.ts";
import { formOf } from "./form.ts";

const ExternalId = t.String({ minLength: 1, maxLength: MAX_EXTERNAL_ID });
const Text = t.String({ minLength: 1, maxLength: 320 });
const Named = t.Object(
  { external_id: t.Optional(ExternalId), email: t.Optional(Text), phone: t.Optional(Text) },
  t.strict,
);
const Upsert = t.Object(
  {
    ...CustomerBody.properties,
    external_id: t.Optional(ExternalId),
    // The field is accepted and not stored.
    phone: t.Optional(t.Nullable(Text)),
  },
  t.strict,
);
const readNamed = formOf(Named, "contacts.find");
const readUpsert = formOf(Upsert, "contacts.upsert");
const readId = formOf(t.String({ minLength: 1, maxLength: 100 }), "timeline.add");
const readActivity = formOf(ActivityBody, "timeline.add");
const MOST = 200;

export interface PeopleDeps {
  readonly db: Db;
  readonly contacts: Pick<Contacts, "customers" | "timeline">;
}

export async function find({ contacts }: PeopleDeps, context: CallContext, [given]: readonly Json[]): Promise<Json> {
  assertReadsContacts(context);
  context.count("contacts", MOST);
  const { external_id: externalId, email } = readNamed(given);
  const found = await withHostErrors(
    async () => await contacts.customers.find(context.pinned.scope, { externalId, email }),
  );
  return found === undefined ? null : jsonOf(found);
}

export async function upsert({ contacts }: PeopleDeps, context: CallContext, [given]: readonly Json[]): Promise<Json> {
  assertNotReading(context, "change contacts");
  assertReadsContacts(context);
  context.count("contacts", MOST);
  const { phone: _phone, ...input } = readUpsert(given);
  const made = await withHostErrors(async () => await contacts.customers.upsert(context.pinned.scope, input as never));
  context.tell({ contact_id: made.id });
  return jsonOf(made);
}

export async function addActivity(
  { db, contacts }: PeopleDeps,
  context: CallContext,
  [contactId, given]: readonly Json[],
): Promise<Json> {
  assertNotReading(context, "write timelines");
  assertReadsContacts(context);
  const number = context.count("timeline", MOST);
  const id = readId(contactId);
  const { value = null, ...rest } = readActivity(given);
  const note = { ...rest, value: value === null ? null : JSON.stringify(value) };
  const { scope } = context.pinned;
  const answer = await withHostErrors(
    async () =>
      await once(db, placeOf(context, `timeline:${number}`), async (tx) => ({
        id: (await contacts.timeline.addWithin(tx, scope, { contactId: id, note })).id,
      })),
  );
  context.tell({ activity_id: answer.id });
  return answer;
}

function assertReadsContacts({ pinned }: CallContext): void {
  if (!pinned.version.description.reads.includes("contacts"))
    throw new HostError("not_declared", "connector.json does not list contacts under reads.");
}

/** Turns a ServiceError into a HostError with a message for the code. */
async function withHostErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { detail, errors = [] } = error.details;
    const faults = errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join("; ");
    const words = [detail, faults].filter((one) => one !== undefined && one !== "").join(" ");
    throw new HostError(error.code === "conflict" ? "conflict" : "invalid", words === "" ? error.code : words);
  }
}

function jsonOf(view: object): Json {
  const { context: _context, ...rest } = view as Record<string, Json>;
  return rest;
}
