import type { Query } from "../platform/db/db.ts";
import type { TenantKey, Uuid } from "../lib/lib.ts";
import { identitiesOf } from "./contact.store.ts";
import type { HeldIdentity } from "./contact.store.ts";
import { countOpen } from "./ticket.store.ts";

/** Contacts are shown with these rows of other tables; they may hold those of other contacts too. */
export interface ContactParts {
  readonly identities: readonly HeldIdentity[];
  /** By contact; one without open tickets is missing. */
  readonly ticketsOpen: ReadonlyMap<Uuid, number>;
}

/** Two statements for all of the contacts. */
export async function partsOf(query: Query, place: TenantKey, contactIds: readonly Uuid[]): Promise<ContactParts> {
  const identities = await identitiesOf(query, place, contactIds);
  return { identities, ticketsOpen: await countOpen(query, place, contactIds) };
}
