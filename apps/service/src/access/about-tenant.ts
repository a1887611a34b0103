import type { FastifyRequest } from "fastify";
import { callerOf } from "../accounts/accounts.ts";
import type { Scope } from "../accounts/accounts.ts";

interface Owners {
  get(scope: Scope, id: string): Promise<{ readonly tenant: string | null }>;
}

/** Tells the audit log the tenant of an endpoint or a source, if the response does not show it. Throws 404. */
export async function markTenant(owners: Owners, request: FastifyRequest, id: string): Promise<void> {
  request.aboutTenant = (await owners.get(callerOf(request).scope, id)).tenant;
}
