import { isRecord } from "../../lib/lib.ts";

/** Returns the name of the query parameter in which `auth` sends an API key. */
export function keyParameter(auth: unknown): string | undefined {
  if (!isRecord(auth) || auth["type"] !== "api_key" || auth["in"] !== "query") return undefined;
  const { name } = auth;
  return typeof name === "string" ? name : undefined;
}

/** Returns whether a URL has a parameter of this name, in any spelling. */
export function hasParameter(url: string, name: string): boolean {
  const [, ...search] = url.split("?");
  return new URLSearchParams(search.join("?")).has(name);
}
