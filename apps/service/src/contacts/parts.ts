import type { Query } from "../platform/db/db.ts";
import type { TenantKey, Uuid } from "../lib/lib.ts";
import { identitiesOf } from "./contact.store.ts";
import type { HeldIdentity } from "./contact.store.ts";
import { countOpen } from "./ticket.store.ts";

/** The rows of other tables with which contacts are shown. They may include rows of other contacts. */
export interface ContactParts {
  readonly identities: readonly HeldIdentity[];
  /** The number of open tickets by contact. A contact without open tickets is missing. */
  readonly ticketsOpen: ReadonlyMap<Uuid, number>;
}

/** Runs two statements for any number of contacts. */
export async function partsOf(query: Query, place: TenantKey, contactIds: readonly Uuid[]): Promise<ContactParts> {
  const identities = await identitiesOf(query, place, contactIds);
  return { identities, ticketsOpen: await countOpen(query, place, contactIds) };
}
