import {
  canonicalJson,
  decimalText,
  isRecord,
  parseJson,
  pointerOf,
  readDecimal,
  readField,
  scanJson,
  TooExpensiveError,
} from "../../lib/lib.ts";
import type { Steps, Uuid, Violation } from "../../lib/lib.ts";
import { evaluate, factsOf, readCondition, sourceOfText } from "../../events/events.ts";
import type { Condition } from "../../events/events.ts";
import type { ActionCaller } from "../callers/actor.ts";
import type { Contract } from "../contracts/contract.ts";
import type { ParameterSpec } from "../contracts/parameter-specs.ts";
import type { Parameters } from "../contracts/parameters.ts";

/** The terms of a standing approval: the callers, the condition on the parameters and the parameter whose sum is limited. */

export const AGENT_TYPES = ["key", "member"] as const;

/** A caller that is covered. */
export type Agent =
  /** A key, and the keys that replace it. */
  | { readonly type: "key"; readonly id: Uuid; readonly lineage: Uuid }
  /** The AI keys and connected AI clients of a member. */
  | { readonly type: "member"; readonly id: Uuid; readonly person: Uuid };

export interface Terms {
  readonly agents: readonly Agent[];
  /** JSON text; null: every call. */
  readonly when: string | null;
  readonly sumParameter: string | null;
}

type Asker = Pick<ActionCaller, "surface" | "isAi" | "author" | "people" | "memberId">;

const ROOT = "parameters";

const SURFACES: ReadonlySet<string> = new Set(["api", "mcp"]);

/**
 * Returns the agents that the caller itself is. Rules, workflows, connectors, the console and the built-in assistant are none,
 * regardless of who wrote them: what they do follows from the data of events, which anybody may have sent.
 */
export function agentsOf(
  agents: readonly Agent[],
  { surface, isAi, author, people, memberId }: Asker,
): readonly Agent[] {
  if (!isAgentSurface(surface) || author?.kind !== "key") return [];
  return agents.filter((agent) => {
    if (agent.type === "key") return agent.lineage === author.id;
    return isAi && (memberId === agent.id || people.includes(agent.person));
  });
}

export function isAgentSurface(surface: string): boolean {
  return SURFACES.has(surface);
}

/** A call that the terms cover. */
export interface Covered {
  /** The part of the sum that the call adds, as an exact decimal. Null if no sum is limited. */
  readonly amount: string | null;
}

/**
 * Returns undefined unless the terms cover these parameters, which the contract has accepted. A parameter that the terms read
 * must be there, and must not be negative: a missing amount meets `not: [amount > 50]`, and a negative one would give back
 * what was used.
 */
export function coverOf(terms: Pick<Terms, "when" | "sumParameter">, parameters: Parameters): Covered | undefined {
  if (terms.when !== null && !isMet(terms.when, parameters)) return undefined;
  if (terms.sumParameter === null) return { amount: null };
  const value = Object.hasOwn(parameters, terms.sumParameter) ? parameters[terms.sumParameter] : undefined;
  if (typeof value !== "number" || value < 0) return undefined;
  // The shortest spelling of the number, which is also the one that the backend receives.
  const amount = readDecimal(String(value));
  return amount === undefined ? undefined : { amount: decimalText(amount) };
}

function isMet(when: string, parameters: Parameters): boolean {
  const { condition, faults } = compiled(when);
  if (faults.length > 0) return false;
  const verdict = verdictOf(condition, parameters);
  if (verdict?.truth !== true) return false;
  const leaves = parseJson(verdict.leaves) as readonly { readonly op: string; readonly found: boolean }[];
  return condition.leaves.every(({ field }, at) => {
    const leaf = leaves[at];
    return leaf?.op === "exists" || (leaf?.found === true && !isNegative(parameters, field.steps));
  });
}

/** Undefined if the condition is too expensive for the parameters: a person then decides. */
function verdictOf(condition: Condition, parameters: Parameters): ReturnType<typeof evaluate> | undefined {
  try {
    return evaluate(condition, factsOf({ [ROOT]: sourceOfText(canonicalJson(parameters)) }));
  } catch (error) {
    if (error instanceof TooExpensiveError) return undefined;
    throw error;
  }
}

function isNegative(parameters: Parameters, [, name]: Steps): boolean {
  const value = typeof name === "string" && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  return typeof value === "number" && value < 0;
}

function compiled(when: string): { readonly condition: Condition; readonly faults: readonly Violation[] } {
  return readCondition({ scan: scanJson(Buffer.from(`{"when":${when}}`)), place: ["when"], roots: [ROOT] });
}

type Params = Contract["params"];

/** Returns the faults of a condition, whose pointers begin with `/when`. */
export function whenFaults(params: Params, when: string): Violation[] {
  const { faults } = compiled(when);
  if (faults.length > 0) return [...faults];
  return leavesOf(parseJson(when), ["when"]).flatMap(({ leaf, place }) => leafFaults(params, leaf, place));
}

interface PlacedLeaf {
  readonly leaf: Readonly<Record<string, unknown>>;
  readonly place: Steps;
}

function leavesOf(node: unknown, place: Steps): PlacedLeaf[] {
  if (!isRecord(node)) return [];
  if (Object.hasOwn(node, "field")) return [{ leaf: node, place }];
  return Object.entries(node).flatMap(([group, nodes]) =>
    Array.isArray(nodes) ? nodes.flatMap((one, at) => leavesOf(one, [...place, group, at])) : [],
  );
}

function leafFaults(params: Params, { field, op, value }: PlacedLeaf["leaf"], place: Steps): Violation[] {
  const fault = (member: string, code: string, message: string): Violation[] => [
    { pointer: pointerOf([...place, member]), code, message },
  ];
  const spec = specAt(params, String(field));
  if (spec === undefined) return fault("field", "unknown", "must name a parameter of the action");
  if (spec.sensitive) return fault("field", "sensitive", SENSITIVE);
  if (op === "exists") return [];
  if (!OPERATORS[spec.type].has(String(op)))
    return fault("op", "op", `is never true for a parameter of the type ${spec.type}`);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.every((one) => isComparable(spec, one))) return [];
  return fault("value", "type", `must be ${EXPECTED[spec.type]}`);
}

/** Returns the parameter that a path such as `parameters.amount` names. */
function specAt(params: Params, field: string): ParameterSpec | undefined {
  const [, name, ...rest] = readField(field)?.steps ?? [];
  if (typeof name !== "string" || rest.length > 0) return undefined;
  return Object.hasOwn(params, name) ? params[name] : undefined;
}

const SENSITIVE = "is a sensitive parameter, whose values would be shown";
const EQUAL = ["eq", "ne", "in", "not_in"];
const ORDER = ["gt", "gte", "lt", "lte"];
const TEXT = ["contains", "starts_with", "ends_with"];
const NUMBER = new Set([...EQUAL, ...ORDER]);
/** The operators that can be true for the values of a parameter, besides `exists`. */
const OPERATORS: Readonly<Record<ParameterSpec["type"], ReadonlySet<string>>> = {
  int: NUMBER,
  number: NUMBER,
  string: new Set([...EQUAL, ...ORDER, ...TEXT]),
  boolean: new Set(EQUAL),
};
const AMOUNT = "a number that is not negative, because a negative value is never approved";
const EXPECTED: Readonly<Record<ParameterSpec["type"], string>> = {
  int: AMOUNT,
  number: AMOUNT,
  string: "a string, as the parameter is",
  boolean: "true or false, as the parameter is",
};

function isComparable({ type }: ParameterSpec, value: unknown): boolean {
  if (type === "string" || type === "boolean") return typeof value === type;
  return typeof value === "number" && value >= 0;
}

/** Returns the faults of a limited sum, whose pointers begin with `/budget/sum`. */
export function sumFaults(
  params: Params,
  { parameter, max }: { readonly parameter: string; readonly max: string },
): Violation[] {
  const spec = Object.hasOwn(params, parameter) ? params[parameter] : undefined;
  const pointer = "/budget/sum/parameter";
  if (spec === undefined || (spec.type !== "int" && spec.type !== "number"))
    return [{ pointer, code: "type", message: "must name a parameter of the type int or number" }];
  if (spec.sensitive) return [{ pointer, code: "sensitive", message: SENSITIVE }];
  const limit = readDecimal(max);
  return limit === undefined || limit.digits <= 0n
    ? [{ pointer: "/budget/sum/max", code: "range", message: "must be a decimal number above 0, such as 500.00" }]
    : [];
}
