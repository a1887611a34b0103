import type { Parsed, TestService } from "./test-service.ts";

/** A GET operation of the contract, with the names of its path parameters. */
interface Read {
  readonly operation: string;
  readonly path: string;
  readonly names: readonly string[];
  readonly query: readonly string[];
}

/** The maximum number of objects of a list that are read individually, newest first. */
const MOST = 10;
/** Paths whose responses do not end. */
const STREAMS: ReadonlySet<string> = new Set(["/v1/stream"]);

/** Returns everything that this key can read: each list, each of its objects, and their sub-resources, without the operations in `but`. */
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

/** Returns the paths of the objects in the list before the first parameter. Paths with two parameters are skipped. */
function pathsOf(path: string, names: readonly string[], lists: ReadonlyMap<string, Parsed[]>): string[] {
  const [name = ""] = names;
  if (names.length > 1) return [];
  const [list = ""] = path.split("/{", 1);
  return (lists.get(list) ?? [])
    .slice(0, MOST)
    .filter((item) => item[name] !== undefined)
    .map((item) => path.replace(`{${name}}`, encodeURIComponent(String(item[name]))));
}
