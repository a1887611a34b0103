/** Finds the methods that a path supports, so that a wrong method is distinguished from a wrong path. */
export interface PathIndex {
  add(methods: string | readonly string[], pattern: string): void;
  methodsOf(path: string): string[];
}

export function createPathIndex(): PathIndex {
  const routes: { readonly methods: readonly string[]; readonly segments: readonly string[] }[] = [];
  return {
    add(methods, pattern) {
      routes.push({ methods: typeof methods === "string" ? [methods] : methods, segments: pattern.split("/") });
    },
    methodsOf(path) {
      const segments = path.split("/");
      const methods = routes.filter((route) => matches(route.segments, segments)).flatMap((route) => route.methods);
      return [...new Set(methods.includes("GET") ? [...methods, "HEAD"] : methods)].toSorted();
    },
  };
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.at(-1) === "*")
    return path.length >= pattern.length && pattern.slice(0, -1).every((part, at) => part === path[at]);
  return (
    pattern.length === path.length &&
    pattern.every((part, at) => (part.startsWith(":") ? path[at] !== "" : part === path[at]))
  );
}
