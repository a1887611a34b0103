import { hash } from "node:crypto";

/** Clients put a prefix such as `mcp__junction__` before a name, and models take 64 characters in all. */
const MAX_LENGTH = 48;
const KEPT = 30;
/** No part of a key begins with a digit, so no key has this as the end of its own name. */
const SHORTENED = /-0[0-9a-f]{16}$/;

/**
 * Returns a contract's key in the characters that every model takes in the name of a function, `^[a-zA-Z0-9_-]{1,64}$`. Keys have dots and
 * no hyphens, so a hyphen for each dot makes no two keys alike. A long key ends in a hash of itself.
 */
export function toolName(key: string): string {
  const name = key.replaceAll(".", "-");
  if (name.length <= MAX_LENGTH) return name;
  return `${name.slice(0, KEPT)}-0${hash("sha256", key).slice(0, 16)}`;
}

/** Returns the key that a tool's name stands for, or the name itself, which may be a key. A shortened name is found among `longKeys`. */
export async function keyOfTool(
  name: string,
  longKeys: (length: number) => Promise<readonly string[]>,
): Promise<string> {
  if (name.includes(".")) return name;
  if (!SHORTENED.test(name)) return name.replaceAll("-", ".");
  return (await longKeys(MAX_LENGTH)).find((key) => toolName(key) === name) ?? name;
}
