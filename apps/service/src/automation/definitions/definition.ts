import { assertOwnEnvironment, paginate, ServiceError } from "../../lib/lib.ts";
import type { Environment, IdPrefix, Page, RevealedSecret, Uuid } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Db, Query } from "../../platform/db/db.ts";
import { revealDocument } from "../../webhooks/webhooks.ts";
import type { DocumentKind, OwnedDeliveries, RevealedWebhook, SealedBefore } from "../../webhooks/webhooks.ts";

/** The columns that rules and workflows share. */
export interface DefinitionRow {
  readonly id: Uuid;
  readonly version: number;
  readonly author_environment: string;
  readonly promotes_to: Uuid | null;
}

/** Describes rules or workflows to the code that both share. */
export interface DefinitionKind<Row extends DefinitionRow> {
  readonly what: "rule" | "workflow";
  readonly prefix: IdPrefix;
  /** How webhooks are found in the list of actions or steps. */
  readonly webhooks: DocumentKind;
  find(query: Query, scope: Scope, id: Uuid): Promise<Row | undefined>;
  /** Returns the row and locks it until the transaction ends. */
  hold(query: Query, scope: Scope, id: Uuid): Promise<Row | undefined>;
  list(query: Query, scope: Scope, page: DefinitionPage): Promise<readonly Row[]>;
  /** Returns the stored actions or steps, with the sealed values of their headers. */
  sealedOf(row: Row): SealedBefore;
  /** Returns the members that are not JSON texts, as the API names them. */
  settingsOf(row: Row): object;
  /** Returns the members that are JSON texts. The values of headers are `[redacted]`. */
  textsOf(row: Row): DefinitionTexts;
  /** Returns the JSON text that the API shows. `secret` is only in the response that creates it. */
  viewText(scope: Scope, row: Row, secret?: string): string;
}

/** JSON texts by the names of their members. */
export type DefinitionTexts = Readonly<Record<string, string>>;

export interface DefinitionPage {
  readonly before: Uuid | undefined;
  readonly limit: number;
  /** Undefined for both. */
  readonly environment: Environment | undefined;
}

export interface DefinitionQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly environment?: Environment;
}

/** An event for a test, given or past. `data` is JSON text of an object. */
export interface TrialEvent {
  readonly event: string;
  readonly data: string;
  readonly tenant: string | null;
}

interface Deps {
  readonly db: Db;
  readonly ownedDeliveries: Pick<OwnedDeliveries, "revealSecret" | "regenerateSecret">;
  readonly sealer: Parameters<typeof revealDocument>[0];
}

/** Throws 404 if there is no such rule or workflow. */
export async function findExisting<Row extends DefinitionRow>(
  query: Query,
  kind: DefinitionKind<Row>,
  scope: Scope,
  id: string,
): Promise<Row> {
  return present(await kind.find(query, scope, ownUuid(scope, kind.prefix, id)));
}

/** Returns the row. Throws 404 if there is none. */
export function present<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/** Keeps sandbox credentials from live rules and workflows. */
export function assertSameEnvironment(scope: Scope, row: DefinitionRow, what: string): void {
  if (row.author_environment === "live") assertOwnEnvironment(scope.environment, "live", what);
}

/** Returns the operations that are the same for rules and workflows. An id of the workspace that has none is 404. */
export function createDefinitionOperations<Row extends DefinitionRow>(
  { db, ownedDeliveries, sealer }: Deps,
  kind: DefinitionKind<Row>,
) {
  const { what } = kind;
  const ofSameEnvironment = async (scope: Scope, id: string): Promise<Row> => {
    const row = await findExisting(db.query, kind, scope, id);
    assertSameEnvironment(scope, row, what);
    return row;
  };
  const channelOf = ({ workspaceId }: Scope, { id }: Row) => ({ id, owner: what, workspaceId });
  return {
    /** Returns the newest first, of both environments, as JSON texts. */
    list: async (scope: Scope, { environment, ...page }: DefinitionQuery): Promise<Page<string>> =>
      await paginate(page, {
        binding: [scope.workspaceId, `${what}s`, environment ?? null],
        read: async (before, limit) => await kind.list(db.query, scope, { before, limit, environment }),
        view: (row) => kind.viewText(scope, row),
      }),
    get: async (scope: Scope, id: string): Promise<string> =>
      kind.viewText(scope, await findExisting(db.query, kind, scope, id)),
    /** Returns the secret that signs the webhooks. Throws 404 if there is no secret yet. */
    async reveal(scope: Scope, id: string): Promise<RevealedSecret> {
      return await ownedDeliveries.revealSecret(channelOf(scope, await ofSameEnvironment(scope, id)));
    },
    /** Returns the values of the webhooks' headers, for owners. Throws 409 `conflict` if they cannot be decrypted. */
    async revealHeaders(scope: Scope, id: string): Promise<{ readonly webhooks: RevealedWebhook[] }> {
      const row = await ofSameEnvironment(scope, id);
      return { webhooks: revealDocument(sealer, kind.webhooks, kind.sealedOf(row)) };
    },
    /** Replaces the secret. The old one also signs for `overlapSeconds`. The response has the new `signing_secret`. */
    async regenerate(scope: Scope, id: string, overlapSeconds: number): Promise<string> {
      const row = await findExisting(db.query, kind, scope, id);
      assertOwnEnvironment(scope.environment, row.author_environment, what);
      const secret = await db.transaction(
        async (tx) => await ownedDeliveries.regenerateSecret(tx, channelOf(scope, row), overlapSeconds),
      );
      return kind.viewText(scope, row, secret);
    },
  };
}
