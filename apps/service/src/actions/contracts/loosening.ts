import { canonicalJson, ServiceError } from "../../lib/lib.ts";
import type { Caller } from "../../accounts/accounts.ts";
import { RISKS } from "./contracts.schemas.ts";
import { specOf } from "./parameter-specs.ts";
import type { Definition } from "./contracts.schemas.ts";
import type { ParameterSpec } from "./parameter-specs.ts";

/**
 * Returns the members in which a definition protects its action less than the previous one. Throws 403 if there are any
 * and the caller is not an owner.
 */
export function assertNotLoosened({ key }: Caller, before: Definition, after: Definition): readonly string[] {
  const loosened = loosenedMembers(before, after);
  if (loosened.length === 0 || key.role === "owner") return loosened;
  throw new ServiceError("role_not_allowed", {
    detail: `Only an owner can loosen a contract. Less strict than before: ${loosened.join(", ")}. Ask an owner to make this change, or keep these members unchanged.`,
  });
}

type Rule<Value> = (before: Value, after: Value) => boolean;
type Rules<Of> = { readonly [Member in keyof Of]: Rule<Of[Member]> };

const neutral = (): boolean => false;
const isLost: Rule<boolean> = (before, after) => before && !after;
const isGained: Rule<boolean> = (before, after) => !before && after;
const isMore: Rule<number> = (before, after) => after > before;
const isLess: Rule<number> = (before, after) => after < before;
const isChanged: Rule<unknown> = (before, after) => canonicalJson(before) !== canonicalJson(after);
/** A demand may only be added. */
const isReplaced: Rule<string | null> = (before, after) => before !== null && after !== before;
const hasMore: Rule<readonly unknown[]> = (before, after) => after.some((one) => !before.includes(one));
/** Null is the list of everything. */
const isWider: Rule<readonly unknown[] | null> = (before, after) =>
  before !== null && (after === null || hasMore(before, after));

/** Each member has a rule, so that a new member must be decided on. What may protect less counts as less. */
const MEMBERS: Rules<Omit<Definition, "undo" | "response" | "approval" | "params">> = {
  key: neutral,
  label: neutral,
  description: neutral,
  surface: hasMore,
  roles: hasMore,
  requires_confirmation: isLost,
  audit: isLost,
  endpoint: isChanged,
  risk: (before, after) => RISKS.indexOf(after) < RISKS.indexOf(before),
  destructive: isLost,
  // Without its path, an action cannot be undone, and a new path is compared below.
  reversible: neutral,
  idempotent: isGained,
  scope: isReplaced,
  permission: isReplaced,
  delivery: neutral,
  auth: isChanged,
  timeout_ms: neutral,
  // Has no effect on production.
  sandbox_endpoint: neutral,
};
const UNDO: Rules<NonNullable<Definition["undo"]>> = { endpoint: isChanged, window_seconds: isMore };
const RESPONSE: Rules<Definition["response"]> = {
  json: neutral,
  success_when: neutral,
  result_path: isChanged,
  error_path: isChanged,
  expose: isWider,
};
const APPROVAL: Rules<Definition["approval"]> = {
  approver_roles: hasMore,
  four_eyes: isLost,
  required: isLess,
  expires_in_seconds: isMore,
  // Callers can name only rules that they may approve for.
  allow_rule: neutral,
};
const PARAMETER: Rules<ParameterSpec> = {
  type: isChanged,
  required: isLost,
  min: (before, after) => before !== null && (after === null || after < before),
  max: (before, after) => before !== null && (after === null || after > before),
  enum: isWider,
  sensitive: isLost,
  description: neutral,
};

/**
 * Returns the members in which `after` protects its action less than `before`. A change of the called address or of its
 * authentication counts as less, and so do a new undo and a new parameter.
 */
export function loosenedMembers(before: Definition, after: Definition): string[] {
  return [
    ...loosenedIn(MEMBERS, before, after),
    ...within("undo", undoLoosened(before.undo, after.undo)),
    ...within("response", loosenedIn(RESPONSE, before.response, after.response)),
    ...within("approval", loosenedIn(APPROVAL, before.approval, after.approval)),
    ...within("params", paramsLoosened(before.params, after.params)),
  ];
}

function undoLoosened(before: Definition["undo"], after: Definition["undo"]): string[] {
  if (after === null) return [];
  return before === null ? ["endpoint"] : loosenedIn(UNDO, before, after);
}

function paramsLoosened(before: Definition["params"], after: Definition["params"]): string[] {
  return Object.entries(after).flatMap(([name, input]) => {
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    return known === undefined ? [name] : within(name, loosenedIn(PARAMETER, specOf(known), specOf(input)));
  });
}

function loosenedIn<Of extends object>(rules: Rules<Of>, before: Of, after: Of): string[] {
  const members = Object.keys(rules) as (keyof Of & string)[];
  return members.filter((member) => rules[member](before[member], after[member]));
}

function within(parent: string, members: readonly string[]): string[] {
  return members.map((member) => `${parent}.${member}`);
}
