import { isObject } from "./data-value.ts";

/** Returns the steps of a local reference such as `#/$defs/money`; undefined for any other text. */
export function referenceSteps(reference: string): string[] | undefined {
  if (reference === "#") return [];
  if (!reference.startsWith("#/")) return undefined;
  try {
    return decodeURIComponent(reference.slice(2))
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined;
  }
}

/** Units for following a reference. */
export function referencePrice(reference: string): number {
  return 10 + reference.length / 2;
}

/** Returns the value that a local reference names in a schema; undefined if there is none. */
export function referred(root: unknown, reference: string): unknown {
  let value = root;
  for (const step of referenceSteps(reference) ?? ["", ""]) {
    const parent: unknown = value;
    if (Array.isArray(parent)) value = /^\d{1,6}$/.test(step) ? (parent as unknown[])[Number(step)] : undefined;
    else value = isObject(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}
