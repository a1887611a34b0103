import type { Scope } from "../accounts/accounts.ts";
import type { CustomerView } from "./contact-views.ts";
import type * as shapes from "./contacts.schemas.ts";
import type { t } from "../lib/lib.ts";

/** A person in a query to other services. */
export type AskedCustomer = Pick<CustomerView, "id" | "external_ids" | "email" | "name"> & {
  /** Contacts do not have phone numbers yet. */
  readonly phone: null;
};

/** The result of one queried provider. */
export type ProviderResult = NonNullable<t.Static<typeof shapes.CustomerListView>["connectors"]>[number];

export interface FoundCustomer {
  readonly externalId: string | undefined;
  readonly email: string | undefined;
}

/** A ticket of another service. Undefined members are unknown. */
export interface FoundTicket {
  readonly externalId: string;
  readonly subject?: string | null | undefined;
  readonly status?: string | undefined;
  readonly priority?: string | null | undefined;
  readonly assignee?: string | null | undefined;
}

/**
 * The data of connectors about people. Each connector is queried for a short time. A connector that is slow or fails
 * reports an error and affects no other.
 */
export interface ExternalDirectory {
  /** Returns the data by connector, then by provider, with `{error: {code, message}}` in place of unavailable data. */
  context(scope: Scope, customer: AskedCustomer): Promise<Record<string, Record<string, unknown>>>;
  /** Resolves an identifier of another service. `told` is empty if no such provider exists. */
  identify(
    scope: Scope,
    provider: string,
    identifier: string,
  ): Promise<{ readonly found: readonly FoundCustomer[]; readonly told: ProviderResult[] }>;
  tickets(
    scope: Scope,
    customer: AskedCustomer,
  ): Promise<{ readonly tickets: readonly FoundTicket[]; readonly told: ProviderResult[] }>;
}

export function askedCustomer({ id, external_ids, email, name }: CustomerView): AskedCustomer {
  return { id, external_ids, email, name, phone: null };
}
