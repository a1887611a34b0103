import { fromDate, tagOf, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { Environment, Id } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope, ScopeFields } from "../../accounts/accounts.ts";
import { readDefinition } from "./contract.ts";
import type { Definition } from "./contract.ts";
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
  readonly created_at: string;
  readonly updated_at: string;
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

/** A contract serves both environments and is shown as live, unless it runs only in the sandbox. */
export function contractView(scope: Scope, row: RegistryRow): ContractView {
  return {
    ...shared(scope, row),
    id: wireId("ctr", tagOf(scope.tag, "live"), row.id),
    object: "action_contract",
    connector_key: row.connector_key,
    created_at: toRfc3339(uuidTime(row.id)),
    updated_at: toRfc3339(fromDate(row.updated_at)),
  };
}

export function versionView(scope: Scope, row: VersionRow): VersionView {
  return {
    ...shared(scope, row),
    id: wireId("ctr", tagOf(scope.tag, "live"), row.contract_id),
    object: "action_contract_version",
    created_at: toRfc3339(fromDate(row.created_at)),
  };
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
