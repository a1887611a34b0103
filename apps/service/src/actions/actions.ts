import type { OwnInboxes } from "../webhooks/deliveries/deliver.ts";
import type { Db } from "../platform/db/db.ts";
import { createBatcher } from "../lib/lib.ts";
import type { Clock, Hidden, IdMaker, Sealer } from "../lib/lib.ts";
import type { Net } from "../platform/outbound-http/outbound-http.ts";
import type { App, Scope } from "../accounts/workspaces/workspaces.ts";
import { credentialsOf } from "./runs/backend-request.ts";
import { createConnectorContracts } from "./contracts/connector-contracts.ts";
import type { ConnectorContracts } from "./contracts/connector-contracts.ts";
import { contractRoutes } from "./contracts/contracts.routes.ts";
import { contractsOfInbox, currentContracts } from "./contracts/contracts.store.ts";
import type { CurrentContract, Wanted } from "./contracts/contracts.store.ts";
import { createRegistry } from "./contracts/registry.ts";
import type { Registry } from "./contracts/registry.ts";
import { secretRoutes } from "./backend-secrets/secrets.routes.ts";
import { createSecrets } from "./backend-secrets/secrets.ts";
import type { Secrets } from "./backend-secrets/secrets.ts";

export { askerOf } from "./actor.ts";
export type { Actor, Asker } from "./actor.ts";
export type { Request, RunInput } from "./runs/action-request.ts";
export { actionRunRoutes } from "./runs/runs.routes.ts";
export { sealedByActions } from "./encrypted-columns.ts";
export { readWaiter } from "./runs/step-ports.ts";
export type { Awaited as AwaitedAction } from "./runs/finish-run.ts";
export { createActionRuns } from "./runs/runs.ts";
export type { ActionRuns } from "./runs/runs.ts";
export { parametersSchema } from "./contracts/parameters.ts";
export { PROPOSAL_STATUS, RUN_STATUS, toolName } from "./contracts/tool-name.ts";
export type { Registry } from "./contracts/registry.ts";
export type { Contract, Definition, ParameterSpec, ParameterValue, Risk, Surface } from "./contracts/contract.ts";
export type { CurrentContract } from "./contracts/contracts.store.ts";
export { readContractFile } from "./contracts/contract-file.ts";
export type { Reach } from "./contracts/contract-file.ts";
export type { ContractInput } from "./contracts/definition.ts";
export type { ConnectorContracts } from "./contracts/connector-contracts.ts";
export { callBackend } from "./runs/backend.ts";
export { HANDLED, UNDO } from "./runs/connector-backend.ts";
export type { ActionHandler, HandlerCall, HandlerEnd } from "./runs/connector-backend.ts";
export type { BackendCall, BackendErrorCode, BackendOutcome } from "./runs/backend.ts";

/** What may be asked for, and what it takes to do it (contract, section 7). */
export interface Contracts {
  readonly registry: Registry;
  readonly secrets: Secrets;
  /** Those that connectors bring along. */
  readonly ofConnectors: ConnectorContracts;
  /** The contract of a key as it counts now; undefined where the scope's environment has none. Concurrent look-ups share a statement; nothing is kept. */
  current(scope: Scope, key: string): Promise<CurrentContract | undefined>;
  /** Every secret that may now sign what actions send to this inbox under any address. */
  secretsOfInbox(scope: Scope, token: string): Promise<Hidden[]>;
}

export interface ContractsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly net: Net;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  /** Whether an operation of ours is called so: no contract may be. */
  isOperation(name: string): boolean;
}

const MAX_BATCH = 500;

export function createContracts(deps: ContractsDeps): Contracts {
  const batcher = createBatcher<Wanted, CurrentContract | undefined>({
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
      return contracts.flatMap((one) => (one && credentialsOf(deps.sealer, one, { scope, now })?.signing) ?? []);
    },
  };
}

export function actionContractRoutes(app: App, { registry, secrets }: Contracts): void {
  contractRoutes(app, registry);
  secretRoutes(app, secrets);
}
