import type { Api, NamedType, Type } from "./model.ts";
import { HEADER, doc, list, namesIn, quoted, sentScalar } from "./php-text.ts";

/**
 * Describes values that are sent inside of arrays: types for static analysis, and the members that are JSON objects,
 * because an empty PHP array does not show that.
 */
export interface Shapes {
  /** Returns the PHPDoc type of a value to send. */
  annotation(type: Type): string;
  /** Returns PHP that names the members that are objects; null if there are none. */
  objects(type: Type): string | null;
  /** Returns the aliases that a PHPDoc type names. */
  aliases(annotation: string): readonly string[];
  /** Returns the files with both. */
  files(): ReadonlyMap<string, string>;
}

export function createShapes(api: Api): Shapes {
  const types = new Map(api.types.map((type) => [type.name, type]));
  const bodies = reachable(
    types,
    api.operations.flatMap(({ body }) => (body === null ? [] : [body.type])),
  );
  const events = reachable(
    types,
    api.events.map((event) => event.data),
  );
  return {
    annotation: (type) => annotation(type, bodies),
    objects: (type) => objects(type, types, []),
    aliases: (text) => [...bodies].filter((name) => new RegExp(`\\b${name}\\b`).test(text)).toSorted(),
    files: () =>
      new Map([
        ["Shapes.php", holder("Shapes", "The arrays that methods take: for `@phpstan-import-type`.", bodies, types)],
        ["EventData.php", holder("EventData", "The `data` of events: for `@phpstan-import-type`.", events, types)],
      ]),
  };
}

function holder(name: string, about: string, names: ReadonlySet<string>, types: Types): string {
  const aliases = [...names].toSorted().map((alias) => {
    // An alias cannot name itself.
    const known = new Set([...names].filter((other) => other !== alias));
    const members = (types.get(alias)?.fields ?? []).map(
      (field) => `${field.name}${field.required ? "" : "?"}: ${annotation(field.type, known)}`,
    );
    return `@phpstan-type ${alias} ${members.length === 0 ? "array<string, mixed>" : `array{${members.join(", ")}}`}`;
  });
  return `${HEADER}\nnamespace Junction;\n\n${doc("", [about, ...aliases])}final class ${name} {}\n`;
}

type Types = ReadonlyMap<string, NamedType>;

const IS_OBJECT = "'' => true";

/** Returns the object types within types, at any depth. */
function reachable(types: Types, roots: readonly Type[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (type: Type): void => {
    for (const name of namesIn(type).filter((one) => types.has(one) && !found.has(one))) {
      found.add(name);
      for (const field of types.get(name)?.fields ?? []) visit(field.type);
    }
  };
  for (const root of roots) visit(root);
  return found;
}

function annotation(type: Type, known: ReadonlySet<string>): string {
  const within = (one: Type): string => annotation(one, known);
  switch (type.kind) {
    case "constant":
      return literal(type.value);
    case "enum":
      return `\\Junction\\Type\\${type.name}|string`;
    case "ref":
      return known.has(type.name) ? type.name : "array<string, mixed>";
    case "array":
      return `list<${within(type.items)}>`;
    case "map":
      return type.values.kind === "unknown"
        ? "array<array-key, mixed>|object"
        : `array<string, ${within(type.values)}>`;
    case "nullable":
      return `${within(type.of)}|null`;
    default:
      return sentScalar(type) ?? "mixed";
  }
}

function literal(value: string | number | boolean): string {
  return typeof value === "string" ? quoted(value) : String(value);
}

/** Returns the object marks: `['' => true]` is an object, followed by its members, or by `'*'` for all of them. */
function objects(type: Type, types: Types, above: readonly string[]): string | null {
  switch (type.kind) {
    case "nullable":
      return objects(type.of, types, above);
    case "array": {
      const items = objects(type.items, types, above);
      return items === null ? null : array([`'*' => ${items}`], above);
    }
    case "map": {
      const values = objects(type.values, types, above);
      return array(values === null ? [IS_OBJECT] : [IS_OBJECT, `'*' => ${values}`], above);
    }
    case "ref": {
      if (above.includes(type.name)) return array([IS_OBJECT], above);
      const inside = [...above, type.name];
      const members = (types.get(type.name)?.fields ?? []).flatMap(({ name, type: member }) => {
        const inner = objects(member, types, inside);
        return inner === null ? [] : [`${quoted(name)} => ${inner}`];
      });
      return array([IS_OBJECT, ...members], above);
    }
    default:
      return null;
  }
}

/** Returns an array. The preceding name takes space too, for which 40 characters are assumed. */
function array(items: readonly string[], above: readonly string[]): string {
  return list("[", items, "]", 40 + 4 * above.length);
}
