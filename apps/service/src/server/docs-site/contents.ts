import { matchesGlob } from "node:path";

/**
 * A group of `docs/contents.json`: pages by their file below `docs`, in order. `*` stands for all pages that no other
 * entry names, and `/…` for a page with its own route.
 */
export interface Group {
  readonly title: string;
  readonly pages: readonly string[];
}

/** The front page, which is in no group. */
export const FRONT = "README.md";

/** Returns each group with its files. A test finds files that are named but missing, or that are in no group. */
export function ordered(groups: readonly Group[], files: readonly string[]): Group[] {
  const named = new Set([FRONT, ...groups.flatMap(({ pages }) => pages)]);
  const free = files.filter((file) => !named.has(file)).toSorted();
  const taken = new Set<string>();
  return groups.map(({ title, pages }) => ({
    title,
    pages: pages.flatMap((page) => {
      if (!page.includes("*")) return files.includes(page) || isRoute(page) ? [page] : [];
      const matching = free.filter((file) => !taken.has(file) && matchesGlob(file, page));
      for (const file of matching) taken.add(file);
      return matching;
    }),
  }));
}

export function isRoute(page: string): boolean {
  return page.startsWith("/");
}

/** Returns the address of a file of `docs`: `/docs/guide/cli` for `guide/cli.md`. */
export function pathOf(file: string): string {
  if (isRoute(file)) return file;
  return file === FRONT ? "/docs" : `/docs/${file.replace(/\.md$/, "")}`;
}
