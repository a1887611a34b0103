import { registerContract } from "./approvals.ts";
import { createEndpoint } from "./endpoints.ts";
import { TENANTS } from "./known.ts";
import type { Acting } from "./known.ts";

/** Creates what a run begins with: endpoints that no client changes, one of each kind and tenant, and the contract. */
export async function settle(acting: Acting): Promise<void> {
  await registerContract(acting);
  await createEndpoint(acting, { owner: null });
  await createEndpoint(acting, { owner: null, isOrdered: true });
  await createEndpoint(acting, { owner: null, kind: "pull" });
  for (const tenant of TENANTS) await createEndpoint(acting, { owner: null, state: { tenant } });
}
