import { readFileSync } from "node:fs";

/** The values of any JSON. */
type Any = ReturnType<typeof JSON.parse>;

interface Type {
  readonly Kind: string;
  readonly Of?: Type;
  readonly Members?: readonly Member[];
}

interface Member {
  readonly Name: string;
  readonly Type: Type;
  readonly Input?: boolean;
  readonly Sensitive?: boolean;
  readonly Sent?: string;
  readonly Shown?: string;
}

interface Described {
  readonly Name: string;
  readonly Read: { readonly path: string };
  readonly Listed?: boolean;
  readonly Members: readonly Member[];
}

const FILE = new URL("../internal/contract/generated/contract.json", import.meta.url);
const { Resources: resources } = JSON.parse(readFileSync(FILE, "utf8")) as { readonly Resources: readonly Described[] };

/** The names of all resources, without `junction_`. */
export const kinds: readonly string[] = resources.map(({ Name: name }) => name);

/** Returns the path of an object in the state; undefined for a kind that has only a list. */
export function pathOf(kind: string, object: Any): string | undefined {
  const { Read: read, Listed: isListed } = described(kind);
  return isListed === true ? undefined : read.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => object[name]);
}

/** Returns the body of a request as a resource in a configuration. */
export function resourceOf(kind: string, body: Any): object {
  const members = described(kind).Members.flatMap((member): [string, unknown][] => {
    const value = body[member.Sent ?? member.Name];
    return member.Input === true && value !== undefined && value !== null
      ? [[member.Name, written(member.Type, value)]]
      : [];
  });
  return Object.fromEntries(members);
}

/** Returns what the state should have of an object for the members that its configuration does not name. */
export function chosen(kind: string, body: Any, shown: Any): Readonly<Record<string, unknown>> {
  const members = described(kind).Members.flatMap((member): [string, unknown][] => {
    const { Name: name, Sent: sent = name, Shown: seen = name, Type: type } = member;
    if (!(seen in shown) || (body[sent] !== undefined && member.Input === true)) return [];
    return [[name, type.Kind === "bool" && seen !== name ? shown[seen] !== null : held(type, shown[seen])]];
  });
  return Object.fromEntries(members);
}

/** Texts are templates in a configuration. */
export function text(value: string): string {
  return value.replaceAll(/[$%]\{/g, (start) => `${start[0]}${start}`);
}

function described(kind: string): Described {
  const found = resources.find(({ Name: name }) => name === kind);
  if (found === undefined) throw new Error(`no resource ${kind}`);
  return found;
}

function written(type: Type, value: Any): unknown {
  if (type.Kind === "json") return text(JSON.stringify(value));
  if (type.Kind === "list" && !Array.isArray(value)) return [text(value)];
  if (Array.isArray(value)) return value.map((one) => written(type.Of ?? { Kind: "text" }, one));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, written(below(type, name), one)]));
  }
  return typeof value === "string" ? text(value) : value;
}

function held(type: Type, value: Any): unknown {
  if (value === null) return null;
  if (type.Kind === "json") return JSON.stringify(value);
  if (type.Kind === "list" && !Array.isArray(value)) return [value];
  if (type.Kind !== "object") return value;
  return Object.fromEntries(
    (type.Members ?? []).map(({ Name: name, Type: of }) => [name, held(of, value[name] ?? null)]),
  );
}

function below(type: Type, name: string): Type {
  const found = type.Members?.find((member) => member.Name === name)?.Type ?? type.Of;
  return found ?? { Kind: "text" };
}
