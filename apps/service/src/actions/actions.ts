import type { OwnInboxes } from "../deliver/deliver.ts";
import type { Db } from "../db/db.ts";
import { createBatcher } from "../kernel/kernel.ts";
import type { Clock, Hidden, IdMaker, Sealer } from "../kernel/kernel.ts";
import type { Net } from "../net/net.ts";
import type { App, Scope } from "../workspaces/workspaces.ts";
import { credentialsOf } from "./backend-request.ts";
import { createConnectorContracts } from "./connector-contracts.ts";
import type { ConnectorContracts } from "./connector-contracts.ts";
import { contractRoutes } from "./contracts.routes.ts";
import { contractsOfInbox, currentContracts } from "./contracts.store.ts";
import type { CurrentContract, Wanted } from "./contracts.store.ts";
import { createRegistry } from "./registry.ts";
import type { Registry } from "./registry.ts";
import { secretRoutes } from "./secrets.routes.ts";
import { createSecrets } from "./secrets.ts";
import type { Secrets } from "./secrets.ts";

export { askerOf } from "./actor.ts";
export type { Actor, Asker } from "./actor.ts";
export type { Request, RunInput } from "./asked.ts";
export { actionRunRoutes } from "./runs.routes.ts";
export { sealedByActions } from "./sealed.ts";
export { readWaiter } from "./step-ports.ts";
export type { Awaited as AwaitedAction } from "./settle.ts";
export { createActionRuns } from "./runs.ts";
export type { ActionRuns } from "./runs.ts";
export { parametersSchema } from "./parameters.ts";
export { PROPOSAL_STATUS, RUN_STATUS, toolName } from "./tool-name.ts";
export type { Registry } from "./registry.ts";
export type { Contract, Definition, ParameterSpec, ParameterValue, Risk, Surface } from "./contract.ts";
export type { CurrentContract } from "./contracts.store.ts";
export { readContractFile } from "./contract-file.ts";
export type { Reach } from "./contract-file.ts";
export type { ContractInput } from "./definition.ts";
export type { ConnectorContracts } from "./connector-contracts.ts";
export { callBackend } from "./backend.ts";
export { HANDLED, UNDO } from "./handled.ts";
export type { ActionHandler, HandlerCall, HandlerEnd } from "./handled.ts";
export type { BackendCall, BackendErrorCode, BackendOutcome } from "./backend.ts";

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
