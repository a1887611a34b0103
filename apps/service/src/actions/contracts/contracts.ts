import type { OwnInboxes } from "../../webhooks/webhooks.ts";
import { createShardBatcher } from "../../platform/db/db.ts";
import type { Db } from "../../platform/db/db.ts";
import { resultOf } from "../../lib/lib.ts";
import type { Clock, Hidden, IdMaker, Sealer } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import type { Scope, StepUps } from "../../accounts/accounts.ts";
import { credentialsOf } from "./credentials.ts";
import { createConnectorContracts } from "./connector-contracts.ts";
import type { ConnectorContracts } from "./connector-contracts.ts";
import { contractsOfInbox, currentContracts } from "./contracts.store.ts";
import type { CurrentContract, Wanted } from "./contracts.store.ts";
import { createRegistry } from "./registry.ts";
import type { Registry } from "./registry.ts";
import { createSecrets } from "../backend-secrets/secrets.ts";
import type { Secrets } from "../backend-secrets/secrets.ts";

/** The contracts of a workspace's actions, their secrets and their lookups (contract, section 7). */
export interface Contracts {
  readonly registry: Registry;
  readonly secrets: Secrets;
  /** The contracts of connectors. */
  readonly ofConnectors: ConnectorContracts;
  /**
   * Returns the current contract of a key; undefined if the scope's environment has none. Concurrent lookups share a
   * statement. Nothing is cached.
   */
  current(scope: Scope, key: string): Promise<CurrentContract | undefined>;
  /** Returns every secret that may currently sign requests that actions send to this inbox under any address. */
  secretsOfInbox(scope: Scope, token: string): Promise<Hidden[]>;
}

export interface ContractsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Net;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  readonly stepUps: Pick<StepUps, "take">;
  readonly baseUrl: string;
  /** Returns true if an operation of the service has this name, which is then not available to a contract. */
  isOperation(name: string): boolean;
}

const MAX_BATCH = 500;

export function createContracts(deps: ContractsDeps): Contracts {
  const batcher = createShardBatcher<Wanted, CurrentContract | undefined>(deps.db, {
    bucketOf: ({ bucket }) => bucket,
    maxSize: MAX_BATCH,
    concurrency: 2,
    run: async (wanted) => await currentContracts(deps.db, wanted),
  });
  const current: Contracts["current"] = async ({ bucket, workspaceId, tag }, key) =>
    await batcher.add({ bucket, workspaceId, tag, key });
  return {
    registry: createRegistry(deps),
    secrets: createSecrets(deps),
    ofConnectors: createConnectorContracts(deps),
    current,
    async secretsOfInbox(scope, token) {
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
