import type { Facts } from "../facts.ts";
import { pathsOf } from "./never-after.ts";
import type { Predicate } from "./predicate.ts";

interface Listed {
  readonly id: string;
  readonly tenant?: string | null;
  readonly endpoint_id?: string;
}

export const tenants: Predicate = {
  name: "tenants",
  promise: "Nothing of a tenant is sent to the endpoint of another, or listed with the key of another",
  broken(facts, endpoints) {
    const byPath = pathsOf(endpoints);
    const tenantOf = new Map(endpoints.map(({ id, created }) => [id, created.operation.state.tenant]));
    const sent = facts.hits.flatMap(({ path, data, delivery }) => {
      const tenant = byPath.get(path)?.created.operation.state.tenant ?? null;
      return tenant === null || tenant === data.tenant ? [] : [`${delivery} of ${data.tenant} was sent to ${tenant}`];
    });
    return [...sent, ...listedOf(facts, tenantOf)];
  },
};

function listedOf(facts: Facts, tenantOf: ReadonlyMap<string, string | null>): string[] {
  return facts
    .of("list")
    .filter(({ outcome, operation }) => outcome === "done" && operation.tenant !== "")
    .flatMap(({ body, operation: { tenant } }) =>
      (body["data"] as readonly Listed[]).flatMap((one) => {
        const of = one.endpoint_id === undefined ? one.tenant : (tenantOf.get(one.endpoint_id) ?? tenant);
        return of === tenant ? [] : [`${one.id} of ${of} was listed with a key of ${tenant}`];
      }),
    );
}
