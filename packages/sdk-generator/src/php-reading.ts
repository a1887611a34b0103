import type { Type } from "./model.ts";
import { withoutNull } from "./types.ts";

/** The code that reads a value of an answer. */
export interface Reading {
  /** The PHP type, without null. */
  readonly php: string;
  /** A further type for static analysis; null if there is none. */
  readonly annotation: string | null;
  /** Returns the PHP expression of the value, or null if the received value has another type. */
  expression(value: string): string;
}

export function reading(type: Type): Reading {
  switch (type.kind) {
    case "nullable":
      return reading(type.of);
    case "constant":
      return reading(typeOf(type.value));
    case "enum":
      return named(type.name, (value) => `Read::enum(${value}, ${type.name}::of(...))`);
    case "ref":
      return named(type.name, (value) => `Read::model(${value}, ${type.name}::class)`);
    case "array":
      return many("list", type.items);
    case "map":
      return type.values.kind === "unknown" ? anyMap() : many("map", type.values);
    default:
      return scalar(type);
  }
}

/** Returns a closure that reads one item. */
export function itemReader(items: Type): string {
  const type = withoutNull(items);
  if (type.kind === "ref") return `Read::as(${type.name}::class)`;
  if (type.kind === "enum") return `Read::asEnum(${type.name}::of(...))`;
  const { php, expression } = reading(type);
  const written = expression("$item");
  const [, call] = /^(Read::\w+)\(\$item\)$/.exec(written) ?? [];
  return call === undefined ? `static fn(mixed $item): ${orNull(php)} => ${written}` : `${call}(...)`;
}

export function orNull(php: string): string {
  if (php === "mixed") return php;
  return php.includes("|") ? `${php}|null` : `?${php}`;
}

function scalar(type: Type): Reading {
  switch (type.kind) {
    case "string":
      return type.format === "date-time" ? by("time", "\\DateTimeImmutable") : by("string", "string");
    case "integer":
      return by("integer", "int");
    case "number":
      return by("number", "float");
    case "boolean":
      return by("boolean", "bool");
    default:
      return { php: "mixed", annotation: null, expression: (value) => value };
  }
}

function by(reader: string, php: string): Reading {
  return named(php, (value) => `Read::${reader}(${value})`);
}

function named(php: string, expression: Reading["expression"]): Reading {
  return { php, annotation: null, expression };
}

function many(reader: "list" | "map", items: Type): Reading {
  const item = reading(withoutNull(items));
  const inner = item.annotation ?? item.php;
  return {
    php: "array",
    annotation: reader === "list" ? `list<${inner}>` : `array<array-key, ${inner}>`,
    expression: (value) => `Read::${reader}(${value}, ${itemReader(items)})`,
  };
}

function anyMap(): Reading {
  return { php: "array", annotation: "array<array-key, mixed>", expression: (value) => `Read::object(${value})` };
}

function typeOf(value: string | number | boolean): Type {
  if (typeof value === "boolean") return { kind: "boolean" };
  if (typeof value === "string") return { kind: "string", format: null };
  return Number.isInteger(value) ? { kind: "integer" } : { kind: "number" };
}
