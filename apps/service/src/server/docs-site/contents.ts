import { matchesGlob } from "node:path";

/** A group of `docs/contents.json`: pages by their file below `docs`, in order; `*` takes those that nothing else names; `/…` is a page that a route of its own serves. */
export interface Group {
  readonly title: string;
  readonly pages: readonly string[];
}

/** The front page; it is in no group. */
export const FRONT = "README.md";

/** Each group with the files it holds. A file that is named and not there, or there and in no group, is for the test to find. */
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

/** Where a file of `docs` is read: `guide/cli.md` at `/docs/guide/cli`. */
export function pathOf(file: string): string {
  if (isRoute(file)) return file;
  return file === FRONT ? "/docs" : `/docs/${file.replace(/\.md$/, "")}`;
}
