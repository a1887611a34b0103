import { headerFaults } from "../../webhooks/webhooks.ts";
import { MAX_PATH_LENGTH, pointerOf, readPath } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { ADMIN_ROLES } from "../../accounts/accounts.ts";
import { isAlwaysAudited, isContractKey } from "./contract.ts";
import type { ContractInput, ContractPatch, Definition } from "./contracts.schemas.ts";
import { isOfType, PARAMETER_TYPES, parameterFaults } from "./parameter-specs.ts";

/** The prefix of names that are reserved for the service. */
const OURS = "meta.";
const DAY_SECONDS = 86_400;
const TIMEOUT_MS = 10_000;
const API_KEY_HEADER = "X-Api-Key";
const DEFAULTS = {
  description: "",
  risk: "low",
  destructive: false,
  idempotent: false,
  scope: null,
  permission: null,
  delivery: "sync",
  timeout_ms: TIMEOUT_MS,
  sandbox_endpoint: null,
} as const;
const WHOLE_ANSWER = { json: true, success_when: null, result_path: null, error_path: null, expose: null } as const;

/** Returns the input with all defaults and without repeated names in its lists. */
export function definitionOf(input: ContractInput): Definition {
  const { undo = null } = input;
  return {
    ...DEFAULTS,
    ...input,
    surface: [...new Set(input.surface)],
    roles: [...new Set(input.roles)],
    params: { ...input.params },
    reversible: input.reversible ?? undo !== null,
    undo: undo === null ? null : { window_seconds: DAY_SECONDS, ...undo },
    auth: authOf(input),
    response: responseOf(input),
    approval: approvalOf(input),
  };
}

/**
 * Applies a change to the definition. A default that depends on `destructive` is computed again, unless the change sets
 * it.
 */
export function changedDefinition(definition: Definition, patch: ContractPatch): Definition {
  const { four_eyes: fourEyes, ...rest } = definition.approval;
  const approval = fourEyes === definition.destructive ? rest : { ...rest, four_eyes: fourEyes };
  // `reversible` follows from `undo`: a definition that contradicts it is refused.
  const { reversible: _reversible, ...kept } = definition;
  return definitionOf({ ...kept, approval, ...patch, key: definition.key });
}

/** Returns all faults of a definition (contract, section 7) that can be found without the network and the database. */
export function definitionFaults(definition: Definition): Violation[] {
  return [
    ...keyFaults(definition.key),
    ...riskFaults(definition),
    ...undoFaults(definition),
    ...parameterFaults(definition.params),
    ...authFaults(definition.auth),
    ...responseFaults(definition.response),
  ];
}

/** Returns the URLs that the network guard must check, by their pointers. */
export function urlsOf({ endpoint, undo, sandbox_endpoint: sandbox }: Definition): [pointer: string, url: string][] {
  const urls: [string, string | undefined][] = [
    ["/endpoint", endpoint],
    ["/undo/endpoint", undo?.endpoint],
    ["/sandbox_endpoint", sandbox ?? undefined],
  ];
  return urls.flatMap(([pointer, url]): [string, string][] => (url === undefined ? [] : [[pointer, url]]));
}

function authOf({ auth }: ContractInput): Definition["auth"] {
  const { type, secret_ref: secretRef = null, header = null } = auth ?? { type: "none" };
  return { type, secret_ref: secretRef, header: header ?? (type === "api_key" ? API_KEY_HEADER : null) };
}

function responseOf({ response = {} }: ContractInput): Definition["response"] {
  const { expose = null, ...rest } = response;
  return { ...WHOLE_ANSWER, ...rest, expose: expose === null ? null : [...expose] };
}

function approvalOf({ approval = {}, ...input }: ContractInput): Definition["approval"] {
  return {
    approver_roles: [...new Set(approval.approver_roles ?? ADMIN_ROLES)],
    four_eyes: approval.four_eyes ?? input.destructive ?? false,
    required: approval.required ?? 1,
    expires_in_seconds: approval.expires_in_seconds ?? DAY_SECONDS,
    allow_rule: [...new Set(approval.allow_rule ?? [])],
  };
}

function isScalar(value: unknown): boolean {
  return value === null || PARAMETER_TYPES.some((type) => isOfType(type, value));
}

function fault(pointer: string, code: string, message: string): Violation {
  return { pointer, code, message };
}

function keyFaults(key: string): Violation[] {
  if (!isContractKey(key))
    return [fault("/key", "pattern", "must be lower-case names joined by dots, such as billing.refund")];
  return key.startsWith(OURS) ? [fault("/key", "reserved", `must not begin with ${OURS}`)] : [];
}

function riskFaults(definition: Definition): Violation[] {
  const faults = confirmationFaults(definition);
  if (!definition.audit && isAlwaysAudited(definition))
    faults.push(
      fault(
        "/audit",
        "audit_required",
        `must be true for an action ${definition.destructive ? "that is destructive" : "with a high risk"}`,
      ),
    );
  return faults;
}

function confirmationFaults({ destructive, risk, requires_confirmation: confirms, approval }: Definition): Violation[] {
  if (confirms) return [];
  const why = destructive
    ? "for an action that is destructive"
    : risk === "high"
      ? "for an action with a high risk"
      : approval.required > 1
        ? "where several people must approve"
        : undefined;
  return why === undefined ? [] : [fault("/requires_confirmation", "confirmation_required", `must be true ${why}`)];
}

function undoFaults({ reversible, undo }: Definition): Violation[] {
  if (reversible && undo === null) return [fault("/undo", "required", "is required for a reversible action")];
  if (!reversible && undo !== null)
    return [fault("/reversible", "reversible", "must be true or omitted if undo is set")];
  return [];
}

function authFaults({ type, secret_ref: secretRef, header }: Definition["auth"]): Violation[] {
  const faults: Violation[] = [];
  if (type === "none" && secretRef !== null)
    faults.push(fault("/auth/secret_ref", "unused", "must be omitted if the type is none"));
  if (type !== "none" && secretRef === null)
    faults.push(fault("/auth/secret_ref", "required", `is required: the name of the secret for the type ${type}`));
  if (header !== null && type !== "api_key")
    faults.push(fault("/auth/header", "unused", "is only for the type api_key"));
  else if (header !== null)
    faults.push(...headerFaults({ [header]: "" }).map((one) => ({ ...one, pointer: "/auth/header" })));
  return faults;
}

function responseFaults(response: Definition["response"]): Violation[] {
  const { success_when: successWhen, result_path: resultPath, error_path: errorPath, expose } = response;
  const paths: [string[], string | null | undefined][] = [
    [["success_when", "path"], successWhen?.path],
    [["result_path"], resultPath],
    [["error_path"], errorPath],
  ];
  const faults = paths.flatMap(([at, path]) =>
    typeof path === "string" && readPath(path) === undefined
      ? [
          fault(
            pointerOf(["response", ...at]),
            "path",
            `must be a path such as $.a.b or $.a[0], of at most ${MAX_PATH_LENGTH} characters`,
          ),
        ]
      : [],
  );
  if (!response.json && (successWhen !== null || resultPath !== null || expose !== null))
    faults.push(fault("/response/json", "json", "must be true if success_when, result_path or expose is set"));
  if (successWhen !== null && !isScalar(successWhen.equals))
    faults.push(fault("/response/success_when/equals", "type", "must be a string, a number, a boolean or null"));
  if (expose !== null && new Set(expose).size < expose.length)
    faults.push(fault("/response/expose", "duplicate", "must not repeat a member"));
  return faults;
}
