import { parseJson } from "../../lib/lib.ts";
import type { Environment, Instant, Uuid } from "../../lib/lib.ts";
import type { Author, Role } from "../../accounts/accounts.ts";
import type { Surface } from "../callers/surface.ts";

export const PARAMETER_TYPES = ["int", "string", "number", "boolean"] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];
export type ParameterValue = string | number | boolean;

export const RISKS = ["low", "medium", "high"] as const;
export type Risk = (typeof RISKS)[number];

export const AUTH_TYPES = ["none", "bearer", "api_key", "basic", "hmac"] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

const KEY = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

/** Checks for the form `<namespace>.<operation>`, in lower-case words. */
export function isContractKey(text: string): boolean {
  return KEY.test(text);
}

export interface ParameterSpec {
  readonly type: ParameterType;
  readonly required: boolean;
  /** The minimum of a number, or the minimum number of code points of a string. */
  readonly min: number | null;
  /** The maximum of a number, or the maximum number of code points of a string. */
  readonly max: number | null;
  readonly enum: readonly ParameterValue[] | null;
  /** Sensitive values are left out of audit entries and logs. */
  readonly sensitive: boolean;
  readonly description: string;
}

/** A parameter as it was declared. Omitted members have their defaults. */
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
  /** A run succeeds only if the 2xx response contains JSON. */
  readonly json: boolean;
  /** A condition that the response must meet, in addition to its 2xx status, for the run to succeed. */
  readonly successWhen: { readonly path: string; readonly equals: ParameterValue | null } | null;
  /** The path of the result in the response. Null: the whole response. */
  readonly resultPath: string | null;
  /** The path of the error message in a failed response. */
  readonly errorPath: string | null;
  /** The members of the result that are shown. Null: all. */
  readonly expose: readonly string[] | null;
}

/** The roles whose members can approve: those of people. */
export type ApproverRole = Exclude<Role, "ai">;

export interface Approval {
  readonly approverRoles: readonly ApproverRole[];
  /** Neither the proposer nor an editor of the proposal may approve it. */
  readonly fourEyes: boolean;
  /** The number of people who must approve. If it is more than one, a confirmation by the caller is not enough. */
  readonly required: number;
  readonly expiresInSeconds: number;
  /** The rules that may approve the action, by name or id. */
  readonly allowRule: readonly string[];
}

/** One version of an action contract (specification, "Action contract"; contract, section 7). It never changes. */
export interface Contract {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly key: string;
  /** Counted from 1. The count continues when a deleted key is registered again. */
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
  /** The same call may be repeated. */
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
  /** The URL of sandbox runs. Null: they are simulated. */
  readonly sandboxEndpoint: string | null;
  /**
   * The environment of its runs. `live` means both environments. `sandbox` means only the sandbox, because a sandbox
   * credential wrote the contract.
   */
  readonly environment: Environment;
  readonly author: Author;
  readonly connectorKey: string | null;
  readonly createdAt: Instant;
}

/**
 * A contract as the API shows it: parameters as they were declared, everything else with its defaults. The hash covers
 * this form.
 */
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

/**
 * Reads a stored definition. A definition from before `response.json` existed requires JSON, which is also the default
 * of a new one.
 */
export function readDefinition(stored: string): Definition {
  const { response, ...rest } = parseJson(stored) as Definition;
  return { ...rest, response: { ...response, json: response.json ?? true } };
}

/** Returns true if auditing cannot be turned off. */
export function isAlwaysAudited({ destructive, risk }: Pick<Definition, "destructive" | "risk">): boolean {
  return destructive || risk === "high";
}

/** The properties of a version that the database stores in addition to its definition. */
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
    // A contract that was registered before this was refused.
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

/** Returns a parameter with its defaults. */
export function specOf({ type, ...given }: ParameterInput): ParameterSpec {
  const { required = false, min = null, max = null, sensitive = false, description = "" } = given;
  return { type, required, min, max, enum: given.enum ?? null, sensitive, description };
}

function mapOf<In, Out>(record: Readonly<Record<string, In>>, made: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, made(value)]));
}
