import {
  compare,
  decimalOf,
  ExactNumber,
  identityOf,
  isInteger,
  isMultiple,
  isNumber,
  isObject,
  numberPrice,
  numberText,
} from "./data-value.ts";
import type { NumberValue } from "./data-value.ts";
import type { WorkBudget } from "../../lib/lib.ts";
import { typesOf } from "./definition.ts";
import { formats } from "./formats.ts";
import { compilePattern } from "./patterns.ts";
import { fail } from "./run.ts";
import type { Check, Run } from "./run.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Returns the checks of a schema that concern the value itself. */
export function valueChecks(schema: Schema, budget: WorkBudget): Check[] {
  return [
    ...typeCheck(schema),
    ...sameChecks(schema, budget),
    ...numberChecks(schema, budget),
    ...textChecks(schema, budget),
  ];
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  array: (value) => Array.isArray(value),
  object: isObject,
  number: isNumber,
  integer: isInteger,
};

function typeCheck({ type }: Schema): Check[] {
  const names = typesOf(type);
  const [first, ...rest] = names.flatMap((name) => types[name] ?? []);
  if (first === undefined) return [];
  const message = `must be ${names.join(" or ")}`;
  return [
    (value, place, run) => {
      if (value instanceof ExactNumber) run.spend(numberPrice(value));
      if (!first(value) && !rest.some((holds) => holds(value))) fail(run, place, "type", message);
    },
  ];
}

function sameChecks(schema: Schema, budget: WorkBudget): Check[] {
  const checks: Check[] = [];
  if (Object.hasOwn(schema, "const"))
    checks.push(oneOf([schema["const"]], "const", "must be the value of the schema", budget));
  if (Array.isArray(schema["enum"]))
    checks.push(oneOf(schema["enum"], "enum", `must be one of ${shownText(schema["enum"])}`, budget));
  return checks;
}

function oneOf(values: readonly unknown[], code: string, message: string, budget: WorkBudget): Check {
  budget.spend(values.length * 2);
  const texts = new Set(values.filter((value) => typeof value === "string"));
  const others = new Set(values.filter((value) => typeof value !== "string").map((value) => identityOf(value, budget)));
  return (value, place, run) => {
    if (typeof value === "string") run.spend(0.3 + value.length / 100);
    const isKnown = typeof value === "string" ? texts.has(value) : others.size > 0 && others.has(run.identityOf(value));
    if (!isKnown) fail(run, place, code, message);
  };
}

const MAX_SHOWN = 200;

function shownText(values: readonly unknown[]): string {
  // No more values than can be shown, with the separators.
  const few = values.slice(0, MAX_SHOWN / 3);
  const text = few.map((value) => (isNumber(value) ? numberText(value) : JSON.stringify(value))).join(", ");
  return cut(text);
}

/** Many violations may repeat the text, and each event stores some of them. */
function cut(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
}

interface Bound {
  readonly keyword: string;
  readonly text: string;
  holds(order: number): boolean;
}

const BOUNDS: readonly Bound[] = [
  { keyword: "minimum", text: "at least", holds: (order) => order >= 0 },
  { keyword: "maximum", text: "at most", holds: (order) => order <= 0 },
  { keyword: "exclusiveMinimum", text: "more than", holds: (order) => order > 0 },
  { keyword: "exclusiveMaximum", text: "less than", holds: (order) => order < 0 },
];

function numberChecks(schema: Schema, budget: WorkBudget): Check[] {
  const checks = BOUNDS.flatMap(({ keyword, text, holds }) => {
    const bound = schema[keyword];
    if (!isNumber(bound)) return [];
    budget.spend(numberPrice(bound));
    const message = `must be ${text} ${cut(numberText(bound))}`;
    return [
      numberCheck(keyword, message, bound, (value) => {
        const order = compare(value, bound);
        return order !== undefined && holds(order);
      }),
    ];
  });
  const of = schema["multipleOf"];
  if (!isNumber(of)) return checks;
  budget.spend(numberPrice(of) * 2);
  const decimal = decimalOf(of);
  const message = `must be a multiple of ${cut(numberText(of))}`;
  return [...checks, numberCheck("multipleOf", message, of, (value) => isMultiple(value, of, decimal) === true)];
}

function numberCheck(code: string, message: string, given: NumberValue, holds: (value: NumberValue) => boolean): Check {
  const price = numberPrice(given);
  return (value, place, run) => {
    if (!isNumber(value)) return;
    run.spend(price + numberPrice(value));
    if (!holds(value)) fail(run, place, code, message);
  };
}

function textChecks(schema: Schema, budget: WorkBudget): Check[] {
  const { minLength, maxLength, pattern, format } = schema;
  const checks: Check[] = [];
  if (typeof minLength === "number")
    checks.push(
      textCheck(
        "minLength",
        `must have at least ${minLength} characters`,
        // A character has at most two units.
        (text, run) => text.length >= minLength && (text.length >= minLength * 2 || characters(text, run) >= minLength),
      ),
    );
  if (typeof maxLength === "number")
    checks.push(
      textCheck(
        "maxLength",
        `must have at most ${maxLength} characters`,
        (text, run) => text.length <= maxLength || (text.length <= maxLength * 2 && characters(text, run) <= maxLength),
      ),
    );
  if (typeof pattern === "string") {
    const compiled = compilePattern(pattern, budget);
    checks.push(textCheck("pattern", `must match ${pattern}`, (text, run) => compiled.matches(text, run)));
  }
  const isOfFormat = typeof format === "string" ? formats[format] : undefined;
  if (isOfFormat === undefined) return checks;
  const isValid = (text: string, run: Run): boolean => {
    run.spend(FORMAT + text.length * FORMAT_CHARACTER);
    return isOfFormat(text, run);
  };
  return [...checks, textCheck("format", `must be a valid ${String(format)}`, isValid)];
}

function textCheck(code: string, message: string, holds: (text: string, run: Run) => boolean): Check {
  return (value, place, run) => {
    if (typeof value === "string" && !holds(value, run)) fail(run, place, code, message);
  };
}

/** Units for a text of a format, and for each of its characters. */
const FORMAT = 5;
const FORMAT_CHARACTER = 0.2;

/** Counts as Unicode does: a surrogate pair is one character. */
function characters(text: string, run: Run): number {
  run.spend(text.length * COUNTED);
  let count = text.length;
  for (let at = 1; at < text.length; at += 1)
    if (isSurrogate(text, at, LOW) && isSurrogate(text, at - 1, HIGH)) count -= 1;
  return count;
}

const COUNTED = 0.03;
const HIGH = 0xd8_00;
const LOW = 0xdc_00;

function isSurrogate(text: string, at: number, kind: number): boolean {
  return (text.charCodeAt(at) & 0xfc_00) === kind;
}
