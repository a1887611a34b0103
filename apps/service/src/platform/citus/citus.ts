export { addressOf } from "./address.ts";
export { completeMigration, distribute, DistributeError, planDistribution, startFault } from "./distribute.ts";
export type { DistributePlan } from "./distribute.ts";
export { readLayout } from "./layout.store.ts";
export type { Layout, NodeAddress, Shard } from "./layout.store.ts";
export { MOVED, prepareShard, readBlueprint, schemaOf } from "./prepare.store.ts";
export { PLACEMENT } from "./placement.ts";
