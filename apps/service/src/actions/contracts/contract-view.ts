import { actsIn, fromDate, tagOf, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Environment, Id, Uuid } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { readDefinition } from "./contract.ts";
import type { RegistryRow, VersionRow } from "./registry.store.ts";

export function contractView(scope: Scope, row: RegistryRow) {
  return {
    ...shared(scope, row),
    id: contractWireId(scope, row.id),
    object: "action_contract" as const,
    connector_key: row.connector_key,
    acts_in: actsIn(row),
    promoted_from:
      row.promoted_from === null || row.promoted_version === null
        ? null
        : { id: contractWireId(scope, row.promoted_from), version: row.promoted_version },
    created_at: toRfc3339(uuidTime(row.id)),
    updated_at: toRfc3339(fromDate(row.updated_at)),
  };
}

export function versionView(scope: Scope, row: VersionRow) {
  return {
    ...shared(scope, row),
    id: contractWireId(scope, row.contract_id),
    object: "action_contract_version" as const,
    created_at: toRfc3339(fromDate(row.created_at)),
  };
}

/** The contracts of both environments have the live tenant id. */
export function contractWireId(scope: Scope, id: Uuid): Id {
  return wireId("ctr", tagOf(scope.tag, "live"), id);
}

function shared(scope: Scope, row: Omit<RegistryRow | VersionRow, "id" | "created_at">) {
  const environment = row.author_environment as Environment;
  const isKey = row.author_kind === "key";
  const tag = tagOf(scope.tag, isKey ? environment : "live");
  return {
    ...readDefinition(row.definition),
    version: row.version,
    sha256: row.sha256.toString("hex"),
    author: { kind: isKey ? "key" : "member", id: wireId(isKey ? "key" : "mem", tag, row.author_id) } as const,
    ...scopeFields(scope),
    environment,
  };
}
