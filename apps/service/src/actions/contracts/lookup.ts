import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import { nearest } from "../../access/access.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { callerFacts, settingsOf } from "../../accounts/accounts.ts";
import type { Scope, WorkspaceSettings } from "../../accounts/accounts.ts";
import type { ActionCaller } from "../callers/actor.ts";
import { currentContracts } from "./contracts.store.ts";
import type { CurrentContract } from "./contracts.store.ts";
import { isPermitted } from "./authorization.ts";
import { contractKeys, keysOfTool } from "./registry.store.ts";
import { isToolName } from "./tool-name.ts";

/** The data that a call reads from the database before it begins. */
export interface LookupResult {
  readonly contract: CurrentContract | undefined;
  readonly settings: WorkspaceSettings;
  /** The name of the person or the key. */
  readonly display: string | null;
}

interface Ask {
  readonly scope: Scope;
  readonly key: string;
  readonly keyId: Uuid | null;
  readonly memberId: Uuid | null;
}

export type Lookup = ReturnType<typeof createLookup>;

const MAX_AT_ONCE = 200;

export function createLookup(db: Db) {
  const batcher = createShardBatcher<Ask, LookupResult>(db, {
    bucketOf: ({ scope }) => scope.bucket,
    maxSize: MAX_AT_ONCE,
    concurrency: 2,
    async run(asks) {
      const places = asks.map(({ scope, key }) => ({ ...scope, key }));
      const callers = asks.map(({ scope, keyId, memberId }) => ({ workspaceId: scope.workspaceId, keyId, memberId }));
      const [contracts, facts] = await Promise.all([currentContracts(db, places), callerFacts(db, callers)]);
      return asks.map((_ask, at) => ({
        contract: contracts[at],
        settings: settingsOf(facts[at]?.settings ?? {}),
        display: facts[at]?.name ?? null,
      }));
    },
  });
  return {
    /**
     * Reads the current state, with two statements for all concurrent calls. Nothing is cached, so that every edit and
     * demotion counts at once.
     */
    ask: async (ask: Ask) => await batcher.add(ask),
    /** Returns the caller with the name of its person or key. */
    async named(asker: ActionCaller): Promise<ActionCaller> {
      const { scope, keyId, memberId } = asker;
      const [facts] = await callerFacts(db, [{ workspaceId: scope.workspaceId, keyId, memberId }]);
      return withName(asker, facts?.name ?? null);
    },
  };
}

export function withName(asker: ActionCaller, display: string | null): ActionCaller {
  return { ...asker, actor: { ...asker.actor, display: asker.actor.display ?? display } };
}

/** Returns 404 with similar names as suggestions: only of actions that the caller may run, which others do not learn of. */
export async function unknownAction(
  db: Db,
  { scope, rights, surface }: Pick<ActionCaller, "scope" | "rights" | "surface">,
  key: string,
): Promise<ServiceError> {
  const near = nearest(key, await contractKeys(db.query, scope, scope.environment));
  const contracts = await currentContracts(
    db,
    near.map((one) => ({ ...scope, key: one })),
  );
  const permitted = near.filter((_key, at) => {
    const contract = contracts[at];
    return contract !== undefined && isPermitted(contract, rights, surface, scope.environment);
  });
  return new ServiceError("action_unknown", { extra: { did_you_mean: permitted } });
}

/** Returns the key of the contract with this tool name, or the name itself if there is none. */
export async function keyOfTool({ query }: Db, scope: Scope, name: string): Promise<string> {
  return isToolName(name) ? ((await keysOfTool(query, scope, name, scope.environment))[0] ?? name) : name;
}
