import { createShardBatcher } from "../../platform/db/db.ts";
import { resultOf } from "../../lib/lib.ts";
import type { Hidden } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { createSecrets } from "../backend-secrets/secrets.ts";
import { createConnectorContracts } from "./connector-contracts.ts";
import type { RegistryDeps } from "./contract-checks.ts";
import { contractsOfInbox, currentContracts } from "./contracts.store.ts";
import type { CurrentContract, ContractKey } from "./contracts.store.ts";
import { credentialsOf } from "./credentials.ts";
import { createRegistry } from "./registry.ts";

export type Contracts = ReturnType<typeof createContracts>;

const MAX_BATCH = 500;

/** Creates the contracts of a workspace's actions, their secrets and their lookups (contract, section 7). */
export function createContracts(deps: RegistryDeps) {
  const batcher = createShardBatcher<ContractKey, CurrentContract | undefined>(deps.db, {
    bucketOf: ({ bucket }) => bucket,
    maxSize: MAX_BATCH,
    concurrency: 2,
    run: async (wanted) => await currentContracts(deps.db, wanted),
  });
  /**
   * Returns the current contract of a key; undefined if the scope's environment has none. Concurrent lookups share a
   * statement. Nothing is cached.
   */
  const current = async ({ bucket, workspaceId, tag }: Scope, key: string): Promise<CurrentContract | undefined> =>
    await batcher.add({ bucket, workspaceId, tag, key });
  return {
    registry: createRegistry(deps),
    secrets: createSecrets(deps),
    ofConnectors: createConnectorContracts(deps),
    current,
    /** Returns every secret that may currently sign requests that actions send to this inbox under any address. */
    async secretsOfInbox(scope: Scope, token: string): Promise<Hidden[]> {
      const keys = await contractsOfInbox(deps.db.query, scope, token);
      const contracts = await Promise.all(keys.map(async (key) => await current(scope, key)));
      const now = deps.clock.now();
      return contracts.flatMap((one) => {
        const opened = resultOf(() => one && credentialsOf(deps.sealer, one, { scope, now }));
        return opened instanceof Error ? [] : (opened?.signing ?? []);
      });
    },
  };
}
