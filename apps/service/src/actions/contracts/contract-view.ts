import { actsIn, fromDate, tagOf, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Environment, Id, Uuid } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope, ScopeFields } from "../../accounts/accounts.ts";
import { readDefinition } from "./contract.ts";
import type { Definition } from "./contracts.schemas.ts";
import type { RegistryRow, VersionRow } from "./registry.store.ts";

interface AuthorView {
  readonly kind: "key" | "member";
  readonly id: Id;
}

export interface ContractView extends Definition, ScopeFields {
  readonly id: Id;
  readonly object: "action_contract";
  readonly version: number;
  readonly sha256: string;
  /** The author of this version. */
  readonly author: AuthorView;
  readonly connector_key: string | null;
  readonly acts_in: Environment[];
  readonly promoted_from: PromotedFrom | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The sandbox contract, and its version, that a live contract is a copy of. */
export interface PromotedFrom {
  readonly id: Id;
  readonly version: number;
}

export interface VersionView extends Definition, ScopeFields {
  readonly id: Id;
  readonly object: "action_contract_version";
  readonly version: number;
  readonly sha256: string;
  readonly author: AuthorView;
  readonly created_at: string;
}

export type WithSigningSecret = ContractView & { readonly signing_secret: string };

export function contractView(scope: Scope, row: RegistryRow): ContractView {
  return {
    ...shared(scope, row),
    id: contractWireId(scope, row.id),
    object: "action_contract",
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

export function versionView(scope: Scope, row: VersionRow): VersionView {
  return {
    ...shared(scope, row),
    id: contractWireId(scope, row.contract_id),
    object: "action_contract_version",
    created_at: toRfc3339(fromDate(row.created_at)),
  };
}

/** The contracts of both environments have the live tenant id. */
export function contractWireId(scope: Scope, id: Uuid): Id {
  return wireId("ctr", tagOf(scope.tag, "live"), id);
}

type Shown = Pick<VersionRow, "definition" | "version" | "sha256" | "author_kind" | "author_id" | "author_environment">;

function shared(scope: Scope, row: Shown) {
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
