import { accessActs } from "./access.ts";
import { approvalActs } from "./approvals.ts";
import { deliveryActs } from "./deliveries.ts";
import { endpointActs } from "./endpoints.ts";
import { eventActs } from "./events.ts";
import type { Act } from "./known.ts";
import { pullActs } from "./pulls.ts";

const [first, ...rest] = [...eventActs, ...endpointActs, ...deliveryActs, ...pullActs, ...approvalActs, ...accessActs];

/** The operations of clients, by weight. */
export const ACTS = [first as Act, ...rest] as const;
