import { childPath, readJson } from "../ui/ui.ts";
import type { JsonNode } from "../ui/ui.ts";
import { short } from "./values.ts";

/** A value that a field can read. */
export interface Offer {
  /** Singular JSONPath: `$.data.order.id`. */
  readonly path: string;
  /** The value in the sample, in short; empty if it is not known. */
  readonly example: string;
}

const MOST = 80;
const MOST_DEPTH = 6;
const MOST_ITEMS = 3;

/** Returns the paths of all single values of a JSON text, and those of its objects at the greatest depth. */
export function offersIn(text: string, root: string): readonly Offer[] {
  const node = readJson(text);
  const found: Offer[] = [];
  if (node !== undefined) collect(found, node, { path: root, depth: 0 });
  return found;
}

function collect(
  found: Offer[],
  node: JsonNode,
  { path, depth }: { readonly path: string; readonly depth: number },
): void {
  if (found.length >= MOST) return;
  const children = childrenOf(node);
  if (children === undefined || depth === MOST_DEPTH) {
    found.push({ path, example: children === undefined && "text" in node ? short(node.text) : "" });
    return;
  }
  for (const [step, child] of children) collect(found, child, { path: childPath(path, step), depth: depth + 1 });
}

function childrenOf(node: JsonNode): readonly (readonly [string | number, JsonNode])[] | undefined {
  if (node.kind === "object") return node.members;
  if (node.kind === "array") return node.items.slice(0, MOST_ITEMS).map((item, at) => [at, item] as const);
  return undefined;
}

/** Returns a path as conditions write it: `data.order.id`. */
export function conditionPath(path: string): string {
  return path.replace(/^\$\.?/, "");
}

/** Returns a path as a token of a text: `${$.data.order.id}`, `${steps.look.status}`. */
export function tokenOf(path: string): string {
  return path.startsWith("$.data") ? `\${${path}}` : `\${${conditionPath(path)}}`;
}

/** Returns the token in quotation marks where the text before it is JSON outside a string. */
export function jsonTokenOf(path: string, before: string): string {
  const quotes = before.replaceAll(/\\./g, "").split('"').length - 1;
  return quotes % 2 === 0 ? JSON.stringify(tokenOf(path)) : tokenOf(path);
}

/** Returns the paths in a response: those of the last one in the sample, or else its members. */
export function responseOffers(output: string | undefined): readonly Offer[] {
  if (output !== undefined) return offersIn(output, "$");
  return ["$.status", "$.body", "$.text"].map((path) => ({ path, example: "" }));
}
