import type { Field, Operation, Type } from "./model.ts";
import type { Shapes } from "./php-shapes.ts";
import { camel, namesIn, sentScalar } from "./php-text.ts";
import { withoutNull } from "./types.ts";

/** A parameter of a method, and the place of its value in the request. */
export interface Argument {
  readonly field: Field;
  readonly place: "path" | "body" | "query";
  /** The name, which is unique among the method's arguments. */
  readonly name: string;
  readonly php: string;
  readonly annotation: string;
  /** The PHP value for an omitted argument; null if the argument is required. */
  readonly missing: "null" | "Omit::Value" | null;
  /** The names that it uses from the namespace `Junction`. */
  readonly uses: readonly string[];
}

const OWN_NAMES = ["options", "call", "answer", "body", "this"];

/** Returns the path's parameters, the body's fields and the query's parameters. Required ones come first. */
export function argumentsOf({ pathParameters, queryParameters, body }: Operation, shapes: Shapes): Argument[] {
  const first = body?.positional ?? [];
  const others = (body?.fields ?? []).filter((field) => !first.some(({ name }) => name === field.name));
  const taken = new Set(OWN_NAMES);
  const read = (place: Argument["place"], field: Field): Argument => {
    const wanted = camel(field.name);
    const name = taken.has(wanted) ? `${wanted}Field` : wanted;
    taken.add(name);
    return { field, place, name, ...typed(place, field, shapes) };
  };
  const all = [
    ...pathParameters.map((field) => read("path", field)),
    ...[...first, ...others].map((field) => read("body", field)),
    ...queryParameters.map((field) => read("query", field)),
  ];
  const isFirst = ({ field }: Argument): boolean => field.required || field.wasRequired === true;
  return [...all.filter(isFirst), ...all.filter((one) => !isFirst(one))];
}

function typed(place: Argument["place"], field: Field, shapes: Shapes): Omit<Argument, "field" | "place" | "name"> {
  const type = withoutNull(field.type);
  const plain = eventNames(place, field.name, type) ?? {
    php: declared(type),
    annotation: type.kind === "enum" ? declared(type) : shapes.annotation(type),
    uses: type.kind === "enum" ? namesIn(type).map((name) => `Type\\${name}`) : [],
  };
  const missing = missingOf(place, field);
  const isAny = plain.php === "mixed";
  const extra = [
    ...(missing === "Omit::Value" && !isAny ? ["Omit"] : []),
    ...(takesNull(field, missing) && !isAny ? ["null"] : []),
  ];
  return {
    missing,
    php: union(plain.php, holdsObjects(plain.php) ? extra.filter((one) => one !== "Omit") : extra),
    annotation: [plain.annotation, ...extra].join("|"),
    uses: plain.uses,
  };
}

function takesNull(field: Field, missing: Argument["missing"]): boolean {
  return missing === "null" || field.wasRequired === true || field.type.kind === "nullable";
}

/** PHP refuses a class next to `object`, which includes it. */
function holdsObjects(php: string): boolean {
  return php.split("|").includes("object");
}

/** Null means "not sent", unless it is a value of the field. */
function missingOf(place: Argument["place"], field: Field): Argument["missing"] {
  if (field.required || field.wasRequired === true) return null;
  const saysNull = field.type.kind === "nullable" || field.type.kind === "unknown";
  return saysNull && place === "body" ? "Omit::Value" : "null";
}

function union(php: string, extra: readonly string[]): string {
  if (extra.length === 1 && extra[0] === "null" && !php.includes("|")) return `?${php}`;
  return [php, ...extra].join("|");
}

/** Returns the types of fields that name events: an editor completes the names, and any other text is accepted. */
function eventNames(
  place: Argument["place"],
  name: string,
  type: Type,
): Pick<Argument, "php" | "annotation" | "uses"> | undefined {
  const isText = type.kind === "string";
  const all = { names: "EventName|SystemEventName|string", uses: ["EventName", "SystemEventName"] };
  // Callers cannot fire system events.
  const one = place === "body" ? { names: "EventName|string", uses: ["EventName"] } : all;
  if (name === "event" && isText) return { php: one.names, annotation: one.names, uses: one.uses };
  const isList = type.kind === "array" && type.items.kind === "string";
  if (!isList || !["events", "on"].includes(name)) return undefined;
  return { php: "array", annotation: `list<${all.names}>`, uses: all.uses };
}

function declared(type: Type): string {
  switch (type.kind) {
    case "enum":
      return `${type.name}|string`;
    case "map":
      return type.values.kind === "unknown" ? "array|object" : "array";
    case "ref":
    case "array":
      return "array";
    default:
      return sentScalar(type) ?? "mixed";
  }
}
