/** A JSON value with its numbers as they were written: 12345678901234567890 stays what it is. */
export type JsonNode =
  | { readonly kind: "object"; readonly members: readonly (readonly [name: string, value: JsonNode])[] }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "number" | "boolean" | "null"; readonly text: string };

interface Source {
  readonly source?: string;
}

/** Reads a JSON text. Returns undefined for any other text. */
export function readJson(text: string): JsonNode | undefined {
  try {
    const reviver = (_key: string, value: unknown, context?: Source): unknown =>
      typeof value === "number" ? { [RAW]: context?.source ?? String(value) } : value;
    return nodeOf(JSON.parse(text, reviver) as unknown);
  } catch {
    return undefined;
  }
}

/** Returns the nodes of a parsed value. */
export function nodeOf(value: unknown): JsonNode {
  if (typeof value === "string") return { kind: "string", text: value };
  if (typeof value === "boolean") return { kind: "boolean", text: String(value) };
  if (typeof value === "number") return { kind: "number", text: String(value) };
  if (typeof value === "object" && value !== null) return containerOf(value);
  return { kind: "null", text: "null" };
}

/** Returns the singular JSONPath (RFC 9535) of a member or an item of the value at `path`. */
export function childPath(path: string, step: string | number): string {
  if (typeof step === "number") return `${path}[${step}]`;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(step)) return `${path}.${step}`;
  return `${path}['${JSON.stringify(step)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}']`;
}

/** Returns JSON on several lines with unchanged numbers. A text that is not JSON is returned as it is. */
export function prettyJson(text: string): string {
  const node = readJson(text);
  return node === undefined ? text : printed(node, "");
}

const RAW = Symbol("number");

function containerOf(value: object): JsonNode {
  if (Array.isArray(value)) return { kind: "array", items: value.map(nodeOf) };
  if (RAW in value) return { kind: "number", text: String(value[RAW]) };
  return { kind: "object", members: Object.entries(value).map(([name, member]) => [name, nodeOf(member)] as const) };
}

function printed(node: JsonNode, indent: string): string {
  const inner = `${indent}  `;
  if (node.kind === "array") {
    if (node.items.length === 0) return "[]";
    return `[\n${node.items.map((item) => inner + printed(item, inner)).join(",\n")}\n${indent}]`;
  }
  if (node.kind === "object") {
    if (node.members.length === 0) return "{}";
    const lines = node.members.map(([name, value]) => `${inner}${JSON.stringify(name)}: ${printed(value, inner)}`);
    return `{\n${lines.join(",\n")}\n${indent}}`;
  }
  return node.kind === "string" ? JSON.stringify(node.text) : node.text;
}
