import type { Scope } from "../accounts/accounts.ts";
import type { CustomerView } from "./views.ts";

/** Somebody, as other services are asked about them. */
export type AskedCustomer = Pick<CustomerView, "id" | "external_ids" | "email" | "name"> & {
  /** Contacts keep none yet. */
  readonly phone: null;
};

/** How one of those that were asked did. */
export interface ProviderResult {
  /** The connector's key. */
  readonly connector: string;
  readonly provider: string;
  readonly status: "ok" | "failed";
  /** Why not, for people. */
  readonly error: string | null;
}

export interface FoundCustomer {
  readonly externalId: string | undefined;
  readonly email: string | undefined;
}

/** A ticket as another service has it; what is undefined is not told. */
export interface FoundTicket {
  readonly externalId: string;
  readonly subject?: string | null | undefined;
  readonly status?: string | undefined;
  readonly priority?: string | null | undefined;
  readonly assignee?: string | null | undefined;
}

/** What connectors know of people. Each is asked for a short time; one that is slow or broken says so and harms nobody. */
export interface ExternalDirectory {
  /** By connector, then by provider; `{error: {code, message}}` in the place of what could not be told. */
  context(scope: Scope, customer: AskedCustomer): Promise<Record<string, Record<string, unknown>>>;
  /** Who an identifier of another service is. `told` is empty where nobody has such a provider. */
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

export function asked({ id, external_ids, email, name }: CustomerView): AskedCustomer {
  return { id, external_ids, email, name, phone: null };
}
