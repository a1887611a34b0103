import type { SecretSource } from "../../audit/audit.ts";
import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { fromDate, paginate, parseId, SECRET_NAME, ServiceError, toRfc3339, uuidTime } from "../../lib/lib.ts";
import type { Hidden, IdMaker, Sealer, Violation } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Caller, Scope } from "../../accounts/accounts.ts";
import { secretPlace, signingPlace } from "../storage/encryption-context.ts";
import { hostFaults, hostRefusal } from "./secret-hosts.ts";
import type { SecretHosts, SecretUse } from "./secret-hosts.ts";
import type { SecretInput } from "./secrets.schemas.ts";
import * as store from "./secrets.store.ts";
import type { NewSecret, SecretKey, SecretRow } from "./secrets.store.ts";

export type Secrets = ReturnType<typeof createSecrets>;
export type OwnSecrets = Secrets["own"];

export interface SecretsDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
}

const NAME = new RegExp(SECRET_NAME);
/** Control characters are invalid in a header, and a pasted value often ends with a line break. */
const CONTROL = /\p{Cc}/u;
/** A key for a client certificate has line breaks. It is never sent. */
const PEM = /^-----BEGIN [A-Z0-9 ]{1,40}-----[\sA-Za-z0-9+/=]+-----END [A-Z0-9 ]{1,40}-----\s*$/;

/**
 * Creates the credentials for backends, by name. No response contains a value (contract, section 7). Each environment
 * has its own secrets.
 */
export function createSecrets(deps: SecretsDeps) {
  const { db } = deps;
  // Each delivery that signs in reads its secret, so that those at the same time share a statement.
  const finder = createShardBatcher<SecretKey, SecretRow | undefined>(db, {
    bucketOf: ({ bucket }) => bucket,
    maxSize: 500,
    concurrency: 2,
    async run(keys) {
      const rows = await store.foundSecrets(db, keys);
      return keys.map((key) => rows.find(({ tag, name }) => tag === key.tag && name === key.name));
    },
  });
  return {
    /** Creates the secret or replaces its value, which calls that start later use. */
    put: async ({ scope }: Caller, name: string, input: SecretInput) => await put(deps, scope, { name, ...input }),
    async list(scope: Scope, query: { limit?: number; cursor?: string }) {
      const page = await paginate(query, {
        binding: [scope.tag, "secrets"],
        read: async (before, count) => await store.listSecrets(db.query, scope, before, count),
        view: (row) => row,
      });
      const users = await usersByName(deps, scope, page.data);
      return { ...page, data: page.data.map((row) => secretView(scope, row, users.get(row.name))) };
    },
    /**
     * Returns the value for these URLs; null if there is no secret with that name. `refused`: it may not go there. There
     * is no other way to a value, so that no use of a secret forgets its hosts.
     */
    async valueFor(scope: Scope, name: string, use: SecretUse): Promise<Hidden | { readonly refused: string } | null> {
      const row = NAME.test(name) ? await finder.add({ bucket: scope.bucket, tag: scope.tag, name }) : undefined;
      if (row === undefined) return null;
      const refused = await hostRefusal(deps, scope, row, use);
      return refused === undefined ? openedOf(deps, scope, row) : { refused };
    },
    isSet: async (scope: Scope, name: string) =>
      NAME.test(name) && (await store.findSecret(db.query, scope, name)) !== undefined,
    own: ownSecrets(deps),
    /** Throws 409 while a contract uses the secret. */
    async remove({ scope }: Caller, name: string): Promise<void> {
      if (!NAME.test(name)) throw new ServiceError("not_found");
      await db.transaction(async (tx) => {
        const row = await store.holdSecret(tx, scope, name);
        if (row === undefined) throw new ServiceError("not_found");
        const users = await store.usersOf(tx.query, scope, [name]);
        if (users.length > 0)
          throw new ServiceError("conflict", {
            detail: `These contracts use the secret: ${users.map(({ key }) => key).join(", ")}. Change or delete them first.`,
          });
        await store.deleteSecret(tx, row);
      });
    },
    /** Returns every secret that actions store for a workspace, for redaction. */
    ofWorkspace: (async (reader, home) => {
      const rows = await store.sealedSecrets(reader, home);
      return rows.map(({ kind, id, tag, name, sealed }) => ({
        sealed,
        place: kind === "signing" ? signingPlace(id) : secretPlace(tag, name),
      }));
    }) satisfies SecretSource,
  };
}

/**
 * Secrets of the service's own features, such as `slack.bot_token`. Callers can neither see nor set, use or delete them:
 * their stored names have a form that no caller's secret can have.
 */
function ownSecrets(deps: SecretsDeps) {
  const ownName = (name: string): string => `${store.OWN}${name}`;
  return {
    async put(tx: Tx, scope: Scope, name: string, value: string): Promise<void> {
      await store.putSecret(tx, rowOf(deps, scope, { name: ownName(name), value, hosts: null, any_host: true }));
    },
    /** Returns null if the secret is not set. */
    async value(scope: Scope, name: string): Promise<Hidden | null> {
      const row = await store.findSecret(deps.db.query, scope, ownName(name));
      return row === undefined ? null : openedOf(deps, scope, row);
    },
    remove: async (tx: Tx, scope: Scope, name: string) =>
      await store.deleteSecret(tx, { ...scope, name: ownName(name) }),
  };
}

/** Returns the fault of a definition that names a secret which live does not have. */
export function missingSecret(pointer: string, name: string): Violation {
  const message = `names the secret ${name}, which live does not have. Store it with PUT /v1/secrets/${name} and a live credential.`;
  return { pointer, code: "secret_missing", message };
}

function openedOf({ sealer }: SecretsDeps, scope: Scope, { name, value_sealed: sealed }: SecretRow): Hidden {
  return sealer.open(sealed, secretPlace(scope.tag, name));
}

function rowOf(
  { ids, sealer }: SecretsDeps,
  scope: Scope,
  { name, value, hosts, any_host }: SecretHosts & { readonly name: string; readonly value: string },
): NewSecret {
  return {
    bucket: scope.bucket,
    tag: scope.tag,
    workspace_id: scope.workspaceId,
    name,
    id: ids.uuid(),
    value_sealed: sealer.seal(value, secretPlace(scope.tag, name)),
    hosts: hosts === null ? null : [...new Set(hosts)],
    any_host,
  };
}

async function put(deps: SecretsDeps, scope: Scope, { name, value, hosts }: SecretInput & { readonly name: string }) {
  assertValidSecret(name, value, hosts ?? []);
  return await deps.db.transaction(async (tx) => {
    const before = await store.holdSecret(tx, scope, name);
    const where =
      hosts === undefined
        ? { hosts: before?.hosts ?? null, any_host: before?.any_host ?? false }
        : { hosts, any_host: false };
    const row = await store.putSecret(tx, rowOf(deps, scope, { name, value, ...where }));
    const users = await store.usersOf(tx.query, scope, [name]);
    const usedBy = users.map(({ key }) => key);
    return { secret: secretView(scope, row, usedBy), isNew: before === undefined };
  });
}

function assertValidSecret(name: string, value: string, hosts: readonly string[]): void {
  // The access check resolves every value with the form of an id by its tenant id.
  if (parseId(name) !== undefined)
    throw new ServiceError("not_found", { detail: "The value is an ID of this service, not the name of a secret." });
  const errors = hostFaults(hosts);
  if (!NAME.test(name))
    errors.push({
      pointer: "/name",
      code: "pattern",
      message: "must start with a letter, contain only letters, digits and _ . -, and have at most 100 characters",
    });
  if (CONTROL.test(value) && !PEM.test(value))
    errors.push({
      pointer: "/value",
      code: "text",
      message: "must be one line, without control characters, or a private key as PEM",
    });
  if (errors.length > 0) throw new ServiceError("validation_failed", { errors });
}

async function usersByName(
  { db }: SecretsDeps,
  scope: Scope,
  rows: readonly SecretRow[],
): Promise<ReadonlyMap<string, string[]>> {
  if (rows.length === 0) return new Map();
  const users = await store.usersOf(
    db.query,
    scope,
    rows.map((row) => row.name),
  );
  const byName = Map.groupBy(users, (user) => user.secret_ref ?? "");
  return new Map([...byName].map(([name, of]) => [name, of.map(({ key }) => key)]));
}

function secretView(scope: Scope, row: SecretRow, usedBy: string[] = []) {
  return {
    object: "secret" as const,
    name: row.name,
    used_by: usedBy,
    hosts: row.hosts,
    ...scopeFields(scope),
    created_at: toRfc3339(uuidTime(row.id)),
    updated_at: toRfc3339(fromDate(row.updated_at)),
  };
}
