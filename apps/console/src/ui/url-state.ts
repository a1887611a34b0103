import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

export type Filters = Readonly<Record<string, string>>;

/** All of the URL's query, as texts. Setting one to "" takes it out; the page does not jump and Back undoes it. */
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

/** Whether the URL asks for less than all: an empty list then says so. */
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
