import { minUuidAt } from "../../lib/lib.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { DeliveryFilter } from "./deliveries.store.ts";

/** The filter of a caller for deliveries. */
export interface DeliveryFilterInput {
  readonly state?: string;
  readonly endpoint_id?: string;
  readonly tenant?: string;
  readonly event?: string;
  readonly status_code?: number;
  readonly status_class?: "1xx" | "2xx" | "3xx" | "4xx" | "5xx";
  readonly error_class?: string;
  readonly attempt_count?: number;
  readonly created_after?: string;
  readonly created_before?: string;
}

/** Throws 403 or 404 for an endpoint id that does not belong to the caller, and 400 for an invalid time. */
export function filterOf(scope: Scope, input: DeliveryFilterInput): DeliveryFilter {
  const { endpoint_id: endpointId, status_class: statusClass } = input;
  return {
    state: input.state,
    endpointId: endpointId === undefined ? undefined : ownUuid(scope, "ep", endpointId),
    tenant: input.tenant,
    event: input.event,
    statusCode: input.status_code,
    statusClass: statusClass === undefined ? undefined : Number(statusClass[0]),
    errorClass: input.error_class,
    attemptCount: input.attempt_count,
    from: minUuidAt(input.created_after, "created_after"),
    to: minUuidAt(input.created_before, "created_before"),
  };
}

/** Limits the filter of a tenant's key to that tenant's deliveries. */
export function ofCaller<Filter extends DeliveryFilter>({ tenant }: Scope, filter: Filter): Filter {
  return (tenant ?? null) === null ? filter : { ...filter, tenant: tenant ?? undefined };
}
