/** A node, as far as its name is concerned. */
interface Named {
  readonly type: string;
  readonly name?: unknown;
  readonly value?: unknown;
}

/** Returns the name of a property, written `.name` or `["name"]`. */
export function memberName(property: Named): string | undefined {
  const name = property.type === "Literal" ? property.value : property.name;
  return typeof name === "string" ? name : undefined;
}

/** True for `name` itself and for `anything.name`, such as `globalThis.process`. */
export function isNamed(node: (Named & { readonly property?: Named }) | null, name: string): boolean {
  if (node === null) return false;
  if (node.type === "MemberExpression") return node.property !== undefined && memberName(node.property) === name;
  return node.type === "Identifier" && node.name === name;
}
