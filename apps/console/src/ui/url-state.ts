import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

export type Filters = Readonly<Record<string, string>>;

/** Returns the URL's query as texts. Setting a text to "" removes it. The page does not scroll, and Back undoes the change. */
export function useFilters(): readonly [Filters, (change: Filters) => void] {
  const search = useRouterState({ select: ({ location }) => location.searchStr });
  const navigate = useNavigate();
  const filters = useMemo(() => Object.fromEntries(new URLSearchParams(search)), [search]);
  const change = useCallback(
    (next: Filters) => {
      const merged = Object.entries({ ...filters, ...next }).filter(([, value]) => value !== "");
      void navigate({ to: ".", search: Object.fromEntries(merged), replace: true, resetScroll: false });
    },
    [filters, navigate],
  );
  return [filters, change];
}

/** Returns true if the URL has filters. An empty list then says so. */
export function useIsFiltered(): boolean {
  const [filters] = useFilters();
  return Object.keys(filters).length > 0;
}

/** One member of the URL's query. */
export function useUrlState(name: string, fallback: string): readonly [string, (value: string) => void] {
  const [filters, change] = useFilters();
  return [filters[name] ?? fallback, (value) => change({ [name]: value === fallback ? "" : value })];
}

/** A parameter of the route's path: `/deliveries/$id`. */
export function usePathParameter(name: string): string {
  return useRouterState({
    select: ({ matches }) => {
      const found = matches.at(-1)?.params as Readonly<Record<string, string>> | undefined;
      return found?.[name] ?? "";
    },
  });
}
