import type { Query, Tx } from "../platform/db/db.ts";
import { parseId, ServiceError, wireId } from "../lib/lib.ts";
import type { TenantKey, Uuid } from "../lib/lib.ts";
import {
  findContact,
  holdIdentities,
  insertContact,
  lockContacts,
  moveIdentities,
  survivorOf,
} from "./contact.store.ts";
import type { ContactRow, HeldIdentity, Identity } from "./contact.store.ts";

export interface Claim {
  readonly externalId?: string | undefined;
  readonly email?: string | undefined;
}

export interface Claimed {
  /** The contact, locked until the transaction ends. */
  readonly contact: ContactRow;
  readonly made: boolean;
  /** The other contact that has the address, if there is one. Nothing was taken from it. */
  readonly emailOwner: Uuid | undefined;
}

/**
 * Finds the contact by external id, or else by e-mail, or else creates it, and assigns both identities to it. If they
 * lead to different contacts, the external id decides, because only a person can decide to merge contacts.
 */
export async function claim(tx: Tx, place: TenantKey, { externalId, email }: Claim, proposed: Uuid): Promise<Claimed> {
  const held = await holdIdentities(tx, place, proposed, identitiesNamed({ externalId, email }));
  const byExternalId = held.find((identity) => identity.kind === "external_id");
  const byEmail = held.find((identity) => identity.kind === "email");
  const owner = [byExternalId, byEmail].find((one) => one !== undefined && one.contact_id !== proposed)?.contact_id;
  if (owner === undefined)
    return { contact: await insertContact(tx, place, proposed, {}), made: true, emailOwner: undefined };
  const [contact] = await lockContacts(tx, place, [owner]);
  if (contact === undefined) throw new Error("an identity leads to no contact");
  await moveIdentities(
    tx,
    place,
    owner,
    held.filter((identity) => identity.contact_id === proposed),
  );
  const emailOwner = byEmail?.contact_id;
  return { contact, made: false, emailOwner: emailOwner === owner || emailOwner === proposed ? undefined : emailOwner };
}

/**
 * Refuses an id of this service in place of the caller's own. It was meant for another route, and would become an
 * external id.
 */
export function assertExternalId(externalId: string, instead: string): void {
  if (parseId(externalId) === undefined) return;
  throw new ServiceError("not_found", {
    detail: `The path requires your own id, not an id of this service: ${instead}`,
  });
}

function identitiesNamed({ externalId, email }: Claim): Identity[] {
  return [
    ...(externalId === undefined ? [] : [{ kind: "external_id" as const, value: externalId }]),
    ...(email === undefined ? [] : [{ kind: "email" as const, value: email }]),
  ];
}

/** Returns the contact with an id, or the contact that it was merged into. */
export async function findLiving(query: Query, place: TenantKey, id: Uuid): Promise<ContactRow> {
  return await followed(id, place, query, async (at) => await findContact(query, place, at));
}

/** Returns the same contact, locked until the transaction ends. */
export async function holdLiving(tx: Tx, place: TenantKey, id: Uuid): Promise<ContactRow> {
  return await followed(id, place, tx.query, async (at) => (await lockContacts(tx, place, [at]))[0]);
}

async function followed(
  id: Uuid,
  place: TenantKey,
  query: Query,
  read: (id: Uuid) => Promise<ContactRow | undefined>,
): Promise<ContactRow> {
  for (let at: Uuid | undefined = id; at !== undefined; at = await survivorOf(query, place, at)) {
    const row = await read(at);
    if (row !== undefined) return row;
  }
  throw new ServiceError("not_found");
}

/** Refuses identities that belong to another contact: 409, with the possible solutions. */
export function assertIdentitiesFree(place: TenantKey, id: Uuid, held: readonly HeldIdentity[]): void {
  const taken = held.find((identity) => identity.contact_id !== id);
  if (taken !== undefined) throw identityTaken(place, taken);
}

export function identityTaken(place: TenantKey, taken: HeldIdentity): ServiceError {
  const owner = wireId("con", place.tag, taken.contact_id);
  const what = taken.kind === "email" ? "e-mail address" : "external id";
  return new ServiceError("conflict", {
    detail: `The ${what} belongs to ${owner}. Change that contact, or merge the two with POST /v1/contacts/{id}/merge.`,
  });
}
