import { useCallback, useMemo } from "react";
import { useNavigate, usePlace } from "./navigation.ts";

export type Filters = Readonly<Record<string, string>>;

/** Returns the URL's query as texts. Setting a text to "" removes it. The page does not scroll, and Back undoes the change. */
export function useFilters(): readonly [Filters, (change: Filters) => void] {
  const { searchText } = usePlace();
  const navigate = useNavigate();
  const filters = useMemo(() => Object.fromEntries(new URLSearchParams(searchText)), [searchText]);
  const change = useCallback(
    (next: Filters) => {
      const merged = Object.entries({ ...filters, ...next }).filter(([, value]) => value !== "");
      navigate({ to: ".", search: Object.fromEntries(merged), replace: true });
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
  return usePlace().parameters[name] ?? "";
}
