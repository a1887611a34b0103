import type { Db } from "../db/db.ts";
import type { Page, Uuid } from "../kernel/kernel.ts";
import { ownUuid } from "../workspaces/workspaces.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import { claim, findLiving, identityTaken, refuseOurs } from "./claim.ts";
import { identitiesOf, updateContact } from "./contact.store.ts";
import type { ContactRow } from "./contact.store.ts";
import { addressOf } from "./email.ts";
import { knownOf, listRecords, toldValues } from "./records.ts";
import type { ContactInput, ContactQuery, RecordsDeps } from "./records.ts";
import { countOpen } from "./ticket.store.ts";
import { customerView } from "./views.ts";
import type { CustomerView } from "./views.ts";

export type CustomerInput = Omit<ContactInput, "external_ids">;

/** Contacts as the customer platform sees them: by its own ids, with what is open for them. */
export interface Customers {
  list(scope: Scope, query: ContactQuery): Promise<Page<CustomerView>>;
  get(scope: Scope, id: string): Promise<CustomerView>;
  /**
   * Sets what the input names of the customer with this external id; makes the customer when neither the external id nor the
   * e-mail leads to one. Throws 409 `conflict` when they lead to two.
   */
  put(scope: Scope, externalId: string, input: CustomerInput): Promise<{ customer: CustomerView; made: boolean }>;
}

export function createCustomers(deps: RecordsDeps): Customers {
  const { db } = deps;
  return {
    async list(scope, query) {
      const page = await listRecords(db, scope, query, "customers");
      return { ...page, data: await viewsOf(db, scope, page.data) };
    },
    get: async (scope, id) => await read(db, scope, ownUuid(scope, "con", id)),
    async put(scope, externalId, input) {
      refuseOurs(externalId, "change a contact with PATCH /v1/contacts/{id}.");
      const email = addressOf(input.email, "/email");
      const { id, made } = await deps.db.transaction(async (tx) => {
        const claimed = await claim(tx, scope, { externalId, email }, deps.ids.uuid());
        const { contact, emailOwner } = claimed;
        if (emailOwner !== undefined && email !== undefined)
          throw identityTaken(scope, { kind: "email", value: email, contact_id: emailOwner });
        return await updateContact(tx, scope, contact.id, toldValues(deps, knownOf(contact), { ...input, email })).then(
          (row) => ({ id: row.id, made: claimed.made }),
        );
      });
      return { customer: await read(db, scope, id), made };
    },
  };
}

async function read(db: Db, scope: Scope, id: Uuid): Promise<CustomerView> {
  const row = await findLiving(db.query, scope, id);
  const identities = await identitiesOf(db.query, scope, [row.id]);
  const open = await countOpen(db.query, scope, [row.id]);
  return customerView(scope, row, { identities, ticketsOpen: open.get(row.id) ?? 0 });
}

async function viewsOf(db: Db, scope: Scope, rows: readonly ContactRow[]): Promise<CustomerView[]> {
  const ids = rows.map((row) => row.id);
  const identities = await identitiesOf(db.query, scope, ids);
  const open = await countOpen(db.query, scope, ids);
  return rows.map((row) => customerView(scope, row, { identities, ticketsOpen: open.get(row.id) ?? 0 }));
}
