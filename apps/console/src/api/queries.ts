import {
  infiniteQueryOptions,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { Query, UseMutationResult, UseQueryOptions } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { call } from "./client.ts";
import type { Answer, CallOptions, Input, Item, NoInput, OperationName, Operations } from "./client.ts";
import { ApiProblem } from "./problem.ts";

/** `[operation, input]`: the responses of one operation are found by its name, those of an area by the beginning of the name. */
export type QueryKey = readonly [name: OperationName, input: object, kind?: "pages" | "exact" | "all", exact?: boolean];

interface PagesOptions {
  /** Keeps the digits of numbers as `readExact` does. */
  readonly exact?: boolean;
}

export type Given<Name extends OperationName> =
  NoInput<Name> extends true ? [input?: Input<Name>] : [input: Input<Name>];

const MOST_RETRIES = 2;

/** Returns options for `useQuery`: `useQuery(read("deliveries.get", { path: { id } }))`. Accepts no write operation. */
export function read<Name extends OperationName>(name: Name, ...[input]: Given<Name>) {
  const given = input ?? ({} as Input<Name>);
  return queryOptions<Answer<Name>, Error, Answer<Name>, QueryKey>({
    queryKey: [name, given],
    queryFn: async ({ signal }) => await call(name, given, { signal }),
  }) as UseQueryOptions<Answer<Name>, Error, Answer<Name>, QueryKey> & { queryKey: QueryKey };
}

/** Returns options like `read`, but keeps the digits of numbers that JavaScript would round, see `isExactNumber`. Use it for values that are edited and sent back. */
export function readExact<Name extends OperationName>(name: Name, ...[input]: Given<Name>) {
  const given = input ?? ({} as Input<Name>);
  return queryOptions<Answer<Name>, Error, Answer<Name>, QueryKey>({
    queryKey: [name, given, "exact"],
    queryFn: async ({ signal }) => await call(name, given, { signal, exact: true }),
    // Structural sharing would turn exact numbers into plain objects.
    structuralSharing: false,
  }) as UseQueryOptions<Answer<Name>, Error, Answer<Name>, QueryKey> & { queryKey: QueryKey };
}

/** A list with cursors, page by page. */
export interface Pages<Row> {
  readonly rows: readonly Row[];
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isFetchingMore: boolean;
  fetchMore(): void;
  refetch(): void;
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** The names of the operations that list with cursors. */
export type PagedName = {
  [Name in OperationName]: "cursor" extends keyof Operations[Name]["query"] ? Name : never;
}[OperationName];

async function pageOf<Name extends PagedName>(
  name: Name,
  input: object,
  options: CallOptions,
): Promise<Page<Item<Name>>> {
  const page: unknown = await call(name, input as unknown as Input<Name>, options);
  return page as Page<Item<Name>>;
}

/** Returns options that read a whole list page by page. Use it for lists that stay short, such as the attempts of a delivery. */
export function readAll<Name extends PagedName>(name: Name, ...[input]: Given<Name>) {
  const given = (input ?? {}) as { readonly query?: object };
  return queryOptions<readonly Item<Name>[], Error, readonly Item<Name>[], QueryKey>({
    queryKey: [name, given, "all"],
    queryFn: async ({ signal }) => {
      const rows: Item<Name>[] = [];
      for (let cursor: { cursor?: string } | null = {}; cursor !== null;) {
        const page: Page<Item<Name>> = await pageOf(
          name,
          { ...given, query: { limit: 100, ...given.query, ...cursor } },
          { signal },
        );
        rows.push(...page.data);
        cursor = page.next_cursor === null ? null : { cursor: page.next_cursor };
      }
      return rows;
    },
  });
}

/** Returns all rows fetched so far, and the next page on demand: `usePages("events.list", { query: { event } })`. */
export function usePages<Name extends PagedName>(
  name: Name,
  ...[input, options]: [...Given<Name>, options?: PagesOptions]
): Pages<Item<Name>> {
  const given = (input ?? {}) as { readonly query?: object };
  const { exact = false } = (options ?? {}) as PagesOptions;
  const query = useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: [name, given, "pages", exact] as QueryKey,
      initialPageParam: null as string | null,
      queryFn: async ({ pageParam, signal }) => {
        const asked = { limit: 50, ...given.query, ...(pageParam === null ? {} : { cursor: pageParam }) };
        return await pageOf(name, { ...given, query: asked }, { signal, exact });
      },
      structuralSharing: !exact,
      getNextPageParam: (last) => (last.has_more ? last.next_cursor : null),
    }),
  );
  const pages = query.data?.pages;
  const rows = useMemo(() => pages?.flatMap((page) => page.data) ?? [], [pages]);
  return {
    rows,
    isPending: query.isPending,
    isError: query.isError,
    error: query.error,
    hasMore: query.hasNextPage,
    isFetchingMore: query.isFetchingNextPage,
    fetchMore: () => void (query.hasNextPage && !query.isFetchingNextPage && query.fetchNextPage()),
    refetch: () => void query.refetch(),
  };
}

/** Functions that handle the end of a write. */
interface WriteHandlers<Name extends OperationName> {
  readonly onSuccess?: (answer: Answer<Name>) => unknown;
  readonly onError?: (error: Error) => unknown;
  readonly onSettled?: () => unknown;
}

export type Write<Name extends OperationName> = Omit<UseMutationResult<Answer<Name>, Error, Input<Name>>, "mutate"> & {
  /**
   * Sends the write. The handlers also run if its effect has removed the component, as the event stream does with a decision that is no
   * longer open. They do not run if the person has left for another page.
   */
  mutate(input: Input<Name>, handlers?: WriteHandlers<Name>): void;
};

/** Returns a write operation. `refreshes` names operations whose responses are stale afterwards: `"keys.list"`, or `"keys."` for a whole area. `exact` keeps the digits of numbers as `readExact` does. */
export function useWrite<Name extends OperationName>(
  name: Name,
  { refreshes = [], exact = false }: { readonly refreshes?: readonly string[]; readonly exact?: boolean } = {},
): Write<Name> {
  const client = useQueryClient();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => void (isShown.current = false);
  }, []);
  const mutation = useMutation<Answer<Name>, Error, Input<Name>>({
    mutationFn: async (input) => await call(name, input, { exact }),
    onSuccess: () => void refresh(client, refreshes),
  });
  const { mutateAsync } = mutation;
  const mutate = useCallback(
    (input: Input<Name>, { onSuccess, onError, onSettled }: WriteHandlers<Name> = {}): void => {
      const { pathname } = window.location;
      // The handlers of the library's own `mutate` are lost with the component.
      const unlessLeft = (handle: () => unknown): unknown =>
        isShown.current || window.location.pathname === pathname ? handle() : undefined;
      void mutateAsync(input)
        .then(
          (answer) => unlessLeft(() => onSuccess?.(answer)),
          (error: Error) => unlessLeft(() => onError?.(error)),
        )
        .then(() => unlessLeft(() => onSettled?.()));
    },
    [mutateAsync],
  );
  return { ...mutation, mutate };
}

/** Reads the data on the screen of these operations again, and marks their other data as stale. Without `pages`, lists in pages are left out. */
export async function refresh(
  client: QueryClient,
  names: readonly string[],
  { pages = true }: { readonly pages?: boolean } = {},
): Promise<void> {
  const isMeant = ({ queryKey: [name, , kind] }: Query): boolean =>
    (pages || kind !== "pages") &&
    names.some((wanted) => (wanted.endsWith(".") ? String(name).startsWith(wanted) : name === wanted));
  // The client would accept the response of a first read in flight, which may have been read before the change.
  const firstReads = new Set(
    client
      .getQueryCache()
      .findAll({ predicate: isMeant, fetchStatus: "fetching" })
      .filter(({ state }) => state.data === undefined),
  );
  await client.invalidateQueries({ predicate: isMeant });
  if (firstReads.size > 0) await client.invalidateQueries({ predicate: (query) => firstReads.has(query) });
}

/** Creates a client that retries reads only when that may help, never after a refusal. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        gcTime: 5 * 60_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => failures < MOST_RETRIES && error instanceof ApiProblem && error.retryable,
        retryDelay: (failures, error) => {
          const asked = error instanceof ApiProblem ? error.retryAfterSeconds : null;
          return asked === null ? 400 * 3 ** failures : asked * 1000;
        },
      },
      mutations: { retry: false },
    },
  });
}
