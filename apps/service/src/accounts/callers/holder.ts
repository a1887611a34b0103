import type { Holder } from "../../lib/lib.ts";
import { networkOf } from "./network.ts";
import type { ApiKey } from "./api-key.ts";
import type { Admitted } from "./caller.routes.ts";

/** Returns the shares to which a caller's connection belongs. */
export function holderOf({ key, scope, ip }: Admitted): Holder {
  return {
    workspace: scope.workspaceId,
    tenant: scope.tenant ?? null,
    member: isPersonal(key) ? (key.people.toSorted()[0] ?? key.lineageId) : key.lineageId,
    key: key.lineageId,
    network: networkOf(ip),
  };
}

/** True for what a member has or connected. Other keys belong to the workspace. */
function isPersonal({ session, memberId, grantedRole }: ApiKey): boolean {
  return session !== undefined || memberId !== null || grantedRole !== undefined;
}
