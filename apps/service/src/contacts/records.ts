import type { Db, Tx } from "../platform/db/db.ts";
import { minUuidAt, paginate, ServiceError } from "../lib/lib.ts";
import type { Clock, IdMaker, Page, Uuid, t } from "../lib/lib.ts";
import { ownUuid } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";
import { findLiving, assertIdentitiesFree } from "./claim.ts";
import * as store from "./contact.store.ts";
import type { ContactRow, ContactValues, HeldIdentity, Identity } from "./contact.store.ts";
import { addressOf, normalizeEmail } from "./email.ts";
import { stageOf, mergeFacts } from "./last-write-wins.ts";
import type { Folded, StageFacts, Stamps } from "./last-write-wins.ts";
import { partsOf } from "./parts.ts";
import { stampOf } from "./position.ts";
import { countOpen } from "./ticket.store.ts";
import { contactView } from "./contact-views.ts";
import type { ContactView } from "./contact-views.ts";
import type * as shapes from "./contacts.schemas.ts";

export type ContactInput = t.Static<typeof shapes.ContactBody>;

export type ContactChange = t.Static<typeof shapes.ContactPatch>;

export type ContactQuery = t.Static<typeof shapes.ContactListQuery>;

export type Records = ReturnType<typeof createRecords>;

export interface RecordsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
}

export function createRecords(deps: RecordsDeps) {
  const { db } = deps;
  return {
    /** Throws 409 `conflict` if the address or an external id belongs to another contact. */
    create: async (scope: Scope, input: ContactInput): Promise<ContactView> => await create(deps, scope, input),
    async list(scope: Scope, query: ContactQuery): Promise<Page<ContactView>> {
      const page = await listRecords(db, scope, query, "contacts");
      const ids = page.data.map((row) => row.id);
      const parts = await partsOf(db.query, scope, ids);
      return { ...page, data: page.data.map((row) => contactView(scope, row, parts)) };
    },
    /** Returns the contact. The id of a merged contact returns the one that it was merged into. */
    async get(scope: Scope, id: string): Promise<ContactView> {
      const row = await findLiving(db.query, scope, ownUuid(scope, "con", id));
      return contactView(scope, row, await partsOf(db.query, scope, [row.id]));
    },
    /**
     * Changes the contact. A replaced address still leads to it, as an alias, until the aliases are set without it.
     * Throws 409 as `create` does.
     */
    change: async (scope: Scope, id: string, input: ContactChange): Promise<ContactView> =>
      await change(deps, scope, { id, input }),
  };
}

/** Returns one page of contacts as rows. `list` names the list that the cursor belongs to. */
export async function listRecords(db: Db, scope: Scope, query: ContactQuery, list: string): Promise<Page<ContactRow>> {
  const { limit, cursor, ...filters } = query;
  const filter = {
    email: filters.email === undefined ? undefined : (normalizeEmail(filters.email) ?? filters.email),
    externalId: filters.external_id,
    contactTag: filters.tag,
    stage: filters.lifecycle_stage,
    from: minUuidAt(filters.created_after, "created_after"),
    to: minUuidAt(filters.created_before, "created_before"),
  };
  return await paginate(
    { limit, cursor },
    {
      binding: [scope.tag, list, filters],
      read: async (before, count) => await store.listContacts(db.query, scope, { ...filter, before }, count),
      view: (row) => row,
    },
  );
}

async function create(deps: RecordsDeps, scope: Scope, input: ContactInput): Promise<ContactView> {
  if (input.email === undefined && (input.name ?? undefined) === undefined && (input.external_ids ?? []).length === 0) {
    const message = "must identify the contact by email, name or external_ids";
    throw new ServiceError("validation_failed", { errors: [{ pointer: "", code: "required", message }] });
  }
  const id = deps.ids.uuid();
  const email = addressOf(input.email, "/email");
  return await deps.db.transaction(async (tx) => {
    const held = await store.holdIdentities(tx, scope, id, identitiesNamed({ ...input, emails: given(email) }));
    assertIdentitiesFree(scope, id, held);
    const row = await store.insertContact(tx, scope, id, toldValues(deps, NOBODY, { ...input, email }));
    return contactView(scope, row, { identities: held, ticketsOpen: new Map() });
  });
}

async function change(
  deps: RecordsDeps,
  scope: Scope,
  { id, input }: { id: string; input: ContactChange },
): Promise<ContactView> {
  const email = addressOf(input.email, "/email");
  const aliases = input.email_aliases?.map((alias, at) => addressOf(alias, `/email_aliases/${at}`) ?? alias);
  const uuid = ownUuid(scope, "con", id);
  return await deps.db.transaction(async (tx) => {
    const found = await findLiving(tx.query, scope, uuid);
    const named = identitiesNamed({ ...input, emails: [...given(email), ...(aliases ?? [])] });
    if (changesIdentities(input)) {
      await store.holdIdentitiesOf(tx, scope, [found.id]);
      assertIdentitiesFree(scope, found.id, await store.holdIdentities(tx, scope, found.id, named));
    }
    const [row] = await store.lockContacts(tx, scope, [found.id]);
    if (row === undefined)
      throw new ServiceError("conflict", { detail: "The contact was merged or erased. Read it again." });
    const changed = await store.updateContact(tx, scope, row.id, toldValues(deps, knownOf(row), { ...input, email }));
    const kept = await dropUnwanted(tx, scope, changed, { aliases, externalIds: input.external_ids });
    const ticketsOpen = await countOpen(tx.query, scope, [row.id]);
    return contactView(scope, changed, { identities: kept, ticketsOpen });
  });
}

function changesIdentities(input: ContactChange): boolean {
  return input.email !== undefined || input.email_aliases !== undefined || input.external_ids !== undefined;
}

/**
 * Deletes the identities that are missing from the given lists, because a given list is complete. Returns the others.
 */
async function dropUnwanted(
  tx: Tx,
  scope: Scope,
  row: ContactRow,
  wanted: { aliases: string[] | undefined; externalIds: string[] | undefined },
): Promise<HeldIdentity[]> {
  const current = await store.identitiesOf(tx.query, scope, [row.id]);
  const goes = ({ kind, value }: Identity): boolean =>
    kind === "email"
      ? wanted.aliases !== undefined && value !== row.email && !wanted.aliases.includes(value)
      : wanted.externalIds !== undefined && !wanted.externalIds.includes(value);
  await store.dropIdentities(tx, scope, current.filter(goes));
  return current.filter((identity) => !goes(identity));
}

function given(email: string | undefined): string[] {
  return email === undefined ? [] : [email];
}

function identitiesNamed(named: { emails: readonly string[]; external_ids?: readonly string[] }): Identity[] {
  return [
    ...named.emails.map((value) => ({ kind: "email" as const, value })),
    ...(named.external_ids ?? []).map((value) => ({ kind: "external_id" as const, value })),
  ];
}

/** The facts of a contact that an update can change. */
export interface PersonFacts extends StageFacts {
  readonly [name: string]: string | null;
  readonly email: string | null;
  readonly name: string | null;
}

export const NOBODY: Folded<PersonFacts> = {
  facts: { email: null, name: null, told_stage: null, implied_stage: null },
  stamps: {},
};

export function knownOf({
  email,
  name,
  told_stage,
  implied_stage,
  stamps,
}: Pick<ContactRow, "email" | "name" | "told_stage" | "implied_stage" | "stamps">): Folded<PersonFacts> {
  return { facts: { email, name, told_stage, implied_stage }, stamps: stamps as Stamps };
}

/** Returns the known facts of a contact as columns. */
export function factValues({ facts, stamps }: Folded<PersonFacts>) {
  return { ...facts, stamps, lifecycle_stage: stageOf(facts, stamps) };
}

/** Returns a caller's changes of a contact as columns. */
export function toldValues(
  deps: Pick<RecordsDeps, "clock" | "ids">,
  known: Folded<PersonFacts>,
  input: Omit<ContactInput, "email" | "external_ids"> & { email?: string | undefined },
): Partial<ContactValues> {
  const stamp: Uuid = stampOf(deps.clock.now(), deps.ids.uuid());
  const news = { email: input.email, name: input.name, told_stage: input.lifecycle_stage };
  return {
    ...factValues(mergeFacts(known, news, stamp)),
    ...(input.score === undefined ? {} : { score: String(input.score) }),
    ...(input.tags === undefined ? {} : { tags: [...new Set(input.tags)] }),
  };
}
