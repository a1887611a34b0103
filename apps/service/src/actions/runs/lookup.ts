import type { Db } from "../../platform/db/db.ts";
import { nearest } from "../../access/access.ts";
import { createBatcher, ServiceError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { callerFacts, settingsOf } from "../../accounts/accounts.ts";
import type { Scope, WorkspaceSettings } from "../../accounts/accounts.ts";
import type { ActionCaller } from "../actor.ts";
import { currentContracts } from "../contracts/contracts.store.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import { contractKeys } from "../contracts/registry.store.ts";

/** What a call asks of the database before it begins. */
export interface LookupResult {
  readonly contract: CurrentContract | undefined;
  readonly settings: WorkspaceSettings;
  /** What the person, or the key, is called. */
  readonly display: string | null;
}

interface Ask {
  readonly scope: Scope;
  readonly key: string;
  readonly keyId: Uuid | null;
  readonly memberId: Uuid | null;
}

export interface Lookup {
  /** Read now, two statements for all that ask at once: no edit, no demotion is ever seen late. */
  ask(ask: Ask): Promise<LookupResult>;
  /** With what the person, or the key, is called. */
  named(asker: ActionCaller): Promise<ActionCaller>;
}

const MAX_AT_ONCE = 200;

export function createLookup(db: Db): Lookup {
  const batcher = createBatcher<Ask, LookupResult>({
    maxSize: MAX_AT_ONCE,
    concurrency: 2,
    run: async (asks) => {
      const [contracts, facts] = await Promise.all([
        currentContracts(
          db,
          asks.map(({ scope, key }) => ({ ...scope, key })),
        ),
        callerFacts(
          db,
          asks.map(({ scope, keyId, memberId }) => ({ workspaceId: scope.workspaceId, keyId, memberId })),
        ),
      ]);
      return asks.map((_ask, at) => ({
        contract: contracts[at],
        settings: settingsOf(facts[at]?.settings ?? {}),
        display: facts[at]?.name ?? null,
      }));
    },
  });
  return {
    ask: async (ask) => await batcher.add(ask),
    async named(asker) {
      const { scope, keyId, memberId } = asker;
      const [facts] = await callerFacts(db, [{ workspaceId: scope.workspaceId, keyId, memberId }]);
      return withName(asker, facts?.name ?? null);
    },
  };
}

export function withName(asker: ActionCaller, display: string | null): ActionCaller {
  return { ...asker, actor: { ...asker.actor, display: asker.actor.display ?? display } };
}

/** 404 with the names that may have been meant. */
export async function unknownAction(db: Db, scope: Scope, key: string): Promise<ServiceError> {
  const keys = await contractKeys(db.query, scope);
  return new ServiceError("action_unknown", {
    extra: { did_you_mean: nearest(key, keys) },
  });
}
