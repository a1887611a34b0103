import type { Parsed, TestService } from "./test-service.ts";

/** A GET of the contract, and the names of the parameters in its path. */
interface Read {
  readonly operation: string;
  readonly path: string;
  readonly names: readonly string[];
  readonly query: readonly string[];
}

/** Newest objects of a list that are looked at one by one. */
const MOST = 10;
/** It has no end. */
const STREAMS: ReadonlySet<string> = new Set(["/v1/stream"]);

/** Everything that this key is shown: each list, each of its objects, and what belongs to that; without the operations in `but`. */
export async function everythingShown(
  node: TestService,
  document: Parsed,
  { key, but = [] }: { readonly key: string; readonly but?: readonly string[] },
): Promise<string> {
  const reads = readsOf(document).filter(({ operation }) => !but.includes(operation));
  const lists = new Map<string, Parsed[]>();
  const texts: string[] = [];
  for (const { path, names, query } of reads.toSorted((a, b) => a.names.length - b.names.length)) {
    const paths = names.length === 0 ? [path] : pathsOf(path, names, lists);
    for (const one of paths) {
      const { text, body } = await node.api("GET", query.includes("limit") ? `${one}?limit=100` : one, undefined, {
        key,
      });
      texts.push(`GET ${one} ${text}`);
      if (names.length === 0 && Array.isArray(body.data)) lists.set(path, body.data);
    }
  }
  return texts.join("\n");
}

function readsOf(document: Parsed): Read[] {
  return Object.entries<Parsed>(document.paths).flatMap(([path, { get }]) => {
    if (get === undefined || !path.startsWith("/v1/") || STREAMS.has(path)) return [];
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const query = (get.parameters ?? []).flatMap((one: Parsed) => (one.in === "query" ? [one.name] : []));
    return [{ operation: get["x-operation"] ?? "", path, names, query }];
  });
}

/** The paths of the objects of the list before the first parameter. Those with two parameters are not followed. */
function pathsOf(path: string, names: readonly string[], lists: ReadonlyMap<string, Parsed[]>): string[] {
  const [name = ""] = names;
  if (names.length > 1) return [];
  const [list = ""] = path.split("/{", 1);
  return (lists.get(list) ?? [])
    .slice(0, MOST)
    .filter((item) => item[name] !== undefined)
    .map((item) => path.replace(`{${name}}`, encodeURIComponent(String(item[name]))));
}
