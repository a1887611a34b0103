import { compare, identityOf, isInteger, isMultiple, isNumber, isObject, textOf } from "./data-value.ts";
import type { NumberValue } from "./data-value.ts";
import { typesOf } from "./definition.ts";
import { formats } from "./formats.ts";
import { compilePattern } from "./patterns.ts";
import { fail } from "./run.ts";
import type { Check, Run } from "./run.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Returns the checks of a schema that concern the value itself. */
export function valueChecks(schema: Schema): Check[] {
  return [...typeCheck(schema), ...sameChecks(schema), ...numberChecks(schema), ...textChecks(schema)];
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
      if (!first(value) && !rest.some((holds) => holds(value))) fail(run, place, "type", message);
    },
  ];
}

function sameChecks(schema: Schema): Check[] {
  const checks: Check[] = [];
  if ("const" in schema) checks.push(oneOf([schema["const"]], "const", "must be the value of the schema"));
  if (Array.isArray(schema["enum"]))
    checks.push(oneOf(schema["enum"], "enum", `must be one of ${shown(schema["enum"])}`));
  return checks;
}

function oneOf(values: readonly unknown[], code: string, message: string): Check {
  const texts = new Set(values.filter((value) => typeof value === "string"));
  const others = new Set(values.filter((value) => typeof value !== "string").map(identityOf));
  return (value, place, run) => {
    const isKnown = typeof value === "string" ? texts.has(value) : others.size > 0 && others.has(identity(value, run));
    if (!isKnown) fail(run, place, code, message);
  };
}

/** Returns the identity of a value and charges for its size. */
export function identity(value: unknown, run: Run): string {
  const text = identityOf(value);
  run.spend(text.length / 8);
  return text;
}

const MAX_SHOWN = 200;

function shown(values: readonly unknown[]): string {
  const text = values.map((value) => (isNumber(value) ? textOf(value) : JSON.stringify(value))).join(", ");
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

function numberChecks(schema: Schema): Check[] {
  const checks = BOUNDS.flatMap(({ keyword, text, holds }) => {
    const bound = schema[keyword];
    if (!isNumber(bound)) return [];
    const message = `must be ${text} ${textOf(bound)}`;
    return [
      numberCheck(keyword, message, (value) => {
        const order = compare(value, bound);
        return order !== undefined && holds(order);
      }),
    ];
  });
  const of = schema["multipleOf"];
  if (isNumber(of))
    checks.push(
      numberCheck("multipleOf", `must be a multiple of ${textOf(of)}`, (value) => isMultiple(value, of) === true),
    );
  return checks;
}

function numberCheck(code: string, message: string, holds: (value: NumberValue) => boolean): Check {
  return (value, place, run) => {
    if (isNumber(value) && !holds(value)) fail(run, place, code, message);
  };
}

function textChecks(schema: Schema): Check[] {
  const { minLength, maxLength, pattern, format } = schema;
  const checks: Check[] = [];
  if (typeof minLength === "number")
    checks.push(
      textCheck(
        "minLength",
        `must have at least ${minLength} characters`,
        // A character has at most two units.
        (text) => text.length >= minLength && (text.length >= minLength * 2 || characters(text) >= minLength),
      ),
    );
  if (typeof maxLength === "number")
    checks.push(
      textCheck(
        "maxLength",
        `must have at most ${maxLength} characters`,
        (text) => text.length <= maxLength || (text.length <= maxLength * 2 && characters(text) <= maxLength),
      ),
    );
  if (typeof pattern === "string") {
    const { matches, weight } = compilePattern(pattern);
    checks.push(
      textCheck("pattern", `must match ${pattern}`, (text, run) => {
        run.spend(1 + (text.length * weight) / 4);
        return matches(text);
      }),
    );
  }
  const isOfFormat = typeof format === "string" ? formats[format] : undefined;
  if (isOfFormat !== undefined) checks.push(textCheck("format", `must be a valid ${String(format)}`, isOfFormat));
  return checks;
}

function textCheck(code: string, message: string, holds: (text: string, run: Run) => boolean): Check {
  return (value, place, run) => {
    if (typeof value === "string" && !holds(value, run)) fail(run, place, code, message);
  };
}

function characters(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}
