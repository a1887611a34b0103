import type { Db } from "../platform/db/db.ts";
import { ServiceError } from "../lib/lib.ts";
import type { Page, Uuid } from "../lib/lib.ts";
import { ownUuid } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import { claim, findLiving, identityTaken, assertExternalId } from "./claim.ts";
import { contactIdOf, findContact, updateContact } from "./contact.store.ts";
import type { ContactRow } from "./contact.store.ts";
import { askedCustomer } from "./external-lookups.ts";
import type { ExternalDirectory, FoundCustomer, ProviderResult } from "./external-lookups.ts";
import { addressOf, normalizeEmail } from "./email.ts";
import { partsOf } from "./parts.ts";
import { knownOf, listRecords, toldValues } from "./records.ts";
import type { ContactInput, ContactQuery, RecordsDeps } from "./records.ts";
import { customerView } from "./contact-views.ts";
import type { CustomerView } from "./contact-views.ts";

export type CustomerInput = Omit<ContactInput, "external_ids">;

export type CustomerQuery = ContactQuery & {
  /** `<provider>:<identifier>`, which a connector resolves to customers. */
  readonly identity?: string;
};

export interface CustomerPage extends Page<CustomerView> {
  /** The connectors that were queried for an `identity`. */
  readonly connectors?: ProviderResult[];
}

/** A customer as another service describes it, with an external id, an e-mail address or both. */
export type UpsertInput = CustomerInput & { readonly external_id?: string };

export interface CustomersDeps extends RecordsDeps {
  readonly elsewhere: () => ExternalDirectory;
}

/** Contacts as the customer platform sees them: by its own ids, with their open tickets. */
export type Customers = ReturnType<typeof createCustomers>;

export function createCustomers(deps: CustomersDeps) {
  const { db, elsewhere } = deps;
  return {
    /** Throws 400 `query_invalid` if no provider exists for the identity. */
    async list(scope: Scope, { identity, ...query }: CustomerQuery): Promise<CustomerPage> {
      if (identity !== undefined) return await identified(deps, scope, identity);
      const page = await listRecords(db, scope, query, "customers");
      return { ...page, data: await viewsOf(db, scope, page.data) };
    },
    /** Returns the customer with the data of connectors. */
    async get(scope: Scope, id: string): Promise<CustomerView> {
      const customer = await read(db, scope, ownUuid(scope, "con", id));
      return { ...customer, context: await elsewhere().context(scope, askedCustomer(customer)) };
    },
    /** Finds a customer by external id, or else by address; undefined if there is none. Connectors are not queried. */
    async find(scope: Scope, by: FoundCustomer): Promise<CustomerView | undefined> {
      const id = await idOf(db, scope, by);
      return id === undefined ? undefined : await read(db, scope, id);
    },
    /** Works in the same way as `put`, by whichever of the two identities is given. */
    async upsert(scope: Scope, { external_id: externalId, ...input }: UpsertInput): Promise<CustomerView> {
      if (externalId === undefined && input.email === undefined)
        throw new ServiceError("validation_failed", {
          errors: [{ pointer: "", code: "required", message: "must have external_id or email" }],
        });
      return await read(db, scope, (await put(deps, scope, externalId, input)).id);
    },
    /**
     * Sets the named members of the customer with this external id. Creates the customer if neither the external id nor
     * the e-mail address leads to one. Throws 409 `conflict` if they lead to two.
     */
    async put(
      scope: Scope,
      externalId: string,
      input: CustomerInput,
    ): Promise<{ customer: CustomerView; made: boolean }> {
      const { id, made } = await put(deps, scope, externalId, input);
      return { customer: await read(db, scope, id), made };
    },
  };
}

async function put(
  deps: CustomersDeps,
  scope: Scope,
  externalId: string | undefined,
  input: CustomerInput,
): Promise<{ readonly id: Uuid; readonly made: boolean }> {
  if (externalId !== undefined) assertExternalId(externalId, "use PATCH /v1/contacts/{id} to change a contact.");
  const email = addressOf(input.email, "/email");
  return await deps.db.transaction(async (tx) => {
    const { contact, emailOwner, made } = await claim(tx, scope, { externalId, email }, deps.ids.uuid());
    if (emailOwner !== undefined && email !== undefined)
      throw identityTaken(scope, { kind: "email", value: email, contact_id: emailOwner });
    const row = await updateContact(tx, scope, contact.id, toldValues(deps, knownOf(contact), { ...input, email }));
    return { id: row.id, made };
  });
}

/** Returns the contacts that connectors find by an identifier of their own, as far as they exist here. */
async function identified({ db, elsewhere }: CustomersDeps, scope: Scope, identity: string): Promise<CustomerPage> {
  const cut = identity.indexOf(":");
  const [provider, identifier] = [identity.slice(0, Math.max(cut, 0)), identity.slice(cut + 1)];
  const { found, told } = await elsewhere().identify(scope, provider, identifier);
  if (told.length === 0)
    throw new ServiceError("query_invalid", {
      errors: [
        {
          pointer: "/query/identity",
          code: "unknown",
          message: "must be <provider>:<identifier>, with an identity provider of an enabled connector",
        },
      ],
    });
  const ids = await Promise.all(found.map(async (by) => await idOf(db, scope, by)));
  const rows = await Promise.all(
    [...new Set(ids.filter((id) => id !== undefined))].map(async (id) => await findContact(db.query, scope, id)),
  );
  const data = await viewsOf(
    db,
    scope,
    rows.filter((row) => row !== undefined),
  );
  return { object: "list", data, has_more: false, next_cursor: null, connectors: told };
}

async function idOf(db: Db, scope: Scope, { externalId, email }: FoundCustomer): Promise<Uuid | undefined> {
  const folded = email === undefined ? undefined : normalizeEmail(email);
  for (const [kind, value] of [["external_id", externalId] as const, ["email", folded] as const]) {
    const id = value === undefined ? undefined : await contactIdOf(db.query, scope, { kind, value });
    if (id !== undefined) return id;
  }
  return undefined;
}

async function read(db: Db, scope: Scope, id: Uuid): Promise<CustomerView> {
  const row = await findLiving(db.query, scope, id);
  return customerView(scope, row, await partsOf(db.query, scope, [row.id]));
}

async function viewsOf(db: Db, scope: Scope, rows: readonly ContactRow[]): Promise<CustomerView[]> {
  const ids = rows.map((row) => row.id);
  const parts = await partsOf(db.query, scope, ids);
  return rows.map((row) => customerView(scope, row, parts));
}
