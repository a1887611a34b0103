import { parseJson } from "../../lib/lib.ts";
import type { Environment, Instant, Uuid } from "../../lib/lib.ts";
import type { Author, Role } from "../../accounts/accounts.ts";

/** How a call came in. It follows from the way, and a body may only narrow it. */
export const SURFACES = ["api", "console", "mcp", "assistant", "rule", "workflow", "connector"] as const;
export type Surface = (typeof SURFACES)[number];

export const PARAMETER_TYPES = ["int", "string", "number", "boolean"] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];
export type ParameterValue = string | number | boolean;

export const RISKS = ["low", "medium", "high"] as const;
export type Risk = (typeof RISKS)[number];

export const AUTH_TYPES = ["none", "bearer", "api_key", "basic", "hmac"] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

const KEY = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

/** `<namespace>.<operation>`, of lower-case words. */
export function isContractKey(text: string): boolean {
  return KEY.test(text);
}

export interface ParameterSpec {
  readonly type: ParameterType;
  readonly required: boolean;
  /** The least number, or code points of a string. */
  readonly min: number | null;
  /** The largest number, or code points of a string. */
  readonly max: number | null;
  readonly enum: readonly ParameterValue[] | null;
  /** Kept out of audit rows and logs. */
  readonly sensitive: boolean;
  readonly description: string;
}

/** A parameter as it was declared; what is left out has its default. */
export type ParameterInput = { readonly type: ParameterType } & {
  readonly [Name in Exclude<keyof ParameterSpec, "type">]?: NonNullable<ParameterSpec[Name]>;
};

export interface Undo {
  readonly endpoint: string;
  readonly windowSeconds: number;
}

export interface Auth {
  readonly type: AuthType;
  /** The name of a secret; null with `none`. */
  readonly secretRef: string | null;
  /** The header of an `api_key`; null with the others. */
  readonly header: string | null;
}

/** Paths are RFC 9535 singular queries. */
export interface ResponseHandling {
  /** Whether a 2xx must come with JSON to have succeeded. */
  readonly json: boolean;
  /** What must stand in the answer for the call to have succeeded, beside its 2xx. */
  readonly successWhen: { readonly path: string; readonly equals: ParameterValue | null } | null;
  /** Where the result stands in the answer; null: the whole answer. */
  readonly resultPath: string | null;
  /** The path of the error message in a failed response. */
  readonly errorPath: string | null;
  /** The members of the result that are shown; null: all. */
  readonly expose: readonly string[] | null;
}

/** Who may approve: people. */
export type ApproverRole = Exclude<Role, "ai">;

export interface Approval {
  readonly approverRoles: readonly ApproverRole[];
  /** The proposer, and whoever edited the proposal, may not approve it. */
  readonly fourEyes: boolean;
  /** How many people must approve; with more than one a confirmation by the caller is not enough. */
  readonly required: number;
  readonly expiresInSeconds: number;
  /** The rules that may approve it, by name or id. */
  readonly allowRule: readonly string[];
}

/** One version of an action contract (specification, "Action contract"; contract, section 7). It never changes. */
export interface Contract {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly key: string;
  /** From 1. It counts on when a deleted key is registered again. */
  readonly version: number;
  /** Hex SHA-256 of the definition's RFC 8785 form. */
  readonly sha256: string;
  readonly label: string;
  readonly description: string;
  readonly surface: readonly Surface[];
  readonly roles: readonly Role[];
  readonly requiresConfirmation: boolean;
  readonly audit: boolean;
  readonly params: Readonly<Record<string, ParameterSpec>>;
  readonly endpoint: string;
  readonly risk: Risk;
  readonly destructive: boolean;
  readonly reversible: boolean;
  readonly undo: Undo | null;
  /** The same call may be made twice. */
  readonly idempotent: boolean;
  /** `<area>:<level>` that a key with scopes must have. */
  readonly scope: string | null;
  /** An operator permission that the caller must have. */
  readonly permission: string | null;
  readonly delivery: "sync" | "async";
  readonly auth: Auth;
  readonly response: ResponseHandling;
  readonly timeoutMs: number;
  readonly approval: Approval;
  /** Where sandbox runs go; null: they are simulated. */
  readonly sandboxEndpoint: string | null;
  /** Where it runs: `live` is everywhere, `sandbox` the sandbox alone, since a sandbox credential wrote it. */
  readonly environment: Environment;
  readonly author: Author;
  readonly connectorKey: string | null;
  readonly createdAt: Instant;
}

/** A contract as the API shows it: parameters as they were declared, all else with its defaults. This is what its hash covers. */
export interface Definition {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly surface: Surface[];
  readonly roles: Role[];
  readonly requires_confirmation: boolean;
  readonly audit: boolean;
  readonly params: Record<string, ParameterInput>;
  readonly endpoint: string;
  readonly risk: Risk;
  readonly destructive: boolean;
  readonly reversible: boolean;
  readonly undo: { readonly endpoint: string; readonly window_seconds: number } | null;
  readonly idempotent: boolean;
  readonly scope: string | null;
  readonly permission: string | null;
  readonly delivery: "sync" | "async";
  readonly auth: { readonly type: AuthType; readonly secret_ref: string | null; readonly header: string | null };
  readonly response: {
    readonly json: boolean;
    readonly success_when: ResponseHandling["successWhen"];
    readonly result_path: string | null;
    readonly error_path: string | null;
    readonly expose: string[] | null;
  };
  readonly timeout_ms: number;
  readonly approval: {
    readonly approver_roles: ApproverRole[];
    readonly four_eyes: boolean;
    readonly required: number;
    readonly expires_in_seconds: number;
    readonly allow_rule: string[];
  };
  readonly sandbox_endpoint: string | null;
}

/** A definition as it is stored. One of before `response.json` takes nothing but JSON, as a new one does. */
export function readDefinition(stored: string): Definition {
  const { response, ...rest } = parseJson(stored) as Definition;
  return { ...rest, response: { ...response, json: response.json ?? true } };
}

/** Whether the audit cannot be switched off. */
export function isAlwaysAudited({ destructive, risk }: Pick<Definition, "destructive" | "risk">): boolean {
  return destructive || risk === "high";
}

/** What the database knows of a version beside its definition. */
export type VersionFacts = Pick<
  Contract,
  "id" | "workspaceId" | "version" | "sha256" | "environment" | "author" | "connectorKey" | "createdAt"
>;

export function contractOf(facts: VersionFacts, definition: Definition): Contract {
  const { undo, auth, response, approval } = definition;
  return {
    ...facts,
    key: definition.key,
    label: definition.label,
    description: definition.description,
    surface: definition.surface,
    roles: definition.roles,
    requiresConfirmation: definition.requires_confirmation,
    // One that was registered before this was refused.
    audit: definition.audit || isAlwaysAudited(definition),
    params: mapOf(definition.params, specOf),
    endpoint: definition.endpoint,
    risk: definition.risk,
    destructive: definition.destructive,
    reversible: definition.reversible,
    undo: undo === null ? null : { endpoint: undo.endpoint, windowSeconds: undo.window_seconds },
    idempotent: definition.idempotent,
    scope: definition.scope,
    permission: definition.permission,
    delivery: definition.delivery,
    auth: { type: auth.type, secretRef: auth.secret_ref, header: auth.header },
    response: {
      json: response.json,
      successWhen: response.success_when,
      resultPath: response.result_path,
      errorPath: response.error_path,
      expose: response.expose,
    },
    timeoutMs: definition.timeout_ms,
    approval: {
      approverRoles: approval.approver_roles,
      fourEyes: approval.four_eyes,
      required: approval.required,
      expiresInSeconds: approval.expires_in_seconds,
      allowRule: approval.allow_rule,
    },
    sandboxEndpoint: definition.sandbox_endpoint,
  };
}

function specOf({ type, ...given }: ParameterInput): ParameterSpec {
  const { required = false, min = null, max = null, sensitive = false, description = "" } = given;
  return { type, required, min, max, enum: given.enum ?? null, sensitive, description };
}

function mapOf<In, Out>(record: Readonly<Record<string, In>>, made: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, made(value)]));
}
