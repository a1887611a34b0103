import {
  infiniteQueryOptions,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { Query, UseMutationResult, UseQueryOptions } from "@tanstack/react-query";
import { useMemo } from "react";
import { call } from "./client.ts";
import type { Answer, CallOptions, Input, Item, NoInput, OperationName, Operations } from "./client.ts";
import { ApiProblem } from "./problem.ts";

/** `[operation, input]`: one operation's answers are found by its name, an area's by what the name begins with. */
export type QueryKey = readonly [name: OperationName, input: object, kind?: "pages" | "exact" | "all", exact?: boolean];

interface PagesOptions {
  /** As `readExact` has it. */
  readonly exact?: boolean;
}

export type Given<Name extends OperationName> =
  NoInput<Name> extends true ? [input?: Input<Name>] : [input: Input<Name>];

const MOST_RETRIES = 2;

/** Options for `useQuery`: `useQuery(read("deliveries.get", { path: { id } }))`. Takes no write. */
export function read<Name extends OperationName>(name: Name, ...[input]: Given<Name>) {
  const given = input ?? ({} as Input<Name>);
  return queryOptions<Answer<Name>, Error, Answer<Name>, QueryKey>({
    queryKey: [name, given],
    queryFn: async ({ signal }) => await call(name, given, { signal }),
  }) as UseQueryOptions<Answer<Name>, Error, Answer<Name>, QueryKey> & { queryKey: QueryKey };
}

/** `read`, whose numbers that JavaScript would round keep their digits, see `isExactNumber`: for what is edited and sent back. */
export function readExact<Name extends OperationName>(name: Name, ...[input]: Given<Name>) {
  const given = input ?? ({} as Input<Name>);
  return queryOptions<Answer<Name>, Error, Answer<Name>, QueryKey>({
    queryKey: [name, given, "exact"],
    queryFn: async ({ signal }) => await call(name, given, { signal, exact: true }),
    // It would make plain objects of them.
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

/** The lists that have cursors: all of them. */
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

/** `read` of a whole list, page after page: for lists that stay short, such as the attempts of a delivery. */
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

/** `usePages("events.list", { query: { event } })`: all rows fetched so far, and the next page on demand. */
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

/** A write. `refreshes` names operations whose answers are stale afterwards: `"keys.list"`, or `"keys."` for all of an area. `exact`: the answer as `readExact` has it. */
export function useWrite<Name extends OperationName>(
  name: Name,
  { refreshes = [], exact = false }: { readonly refreshes?: readonly string[]; readonly exact?: boolean } = {},
): UseMutationResult<Answer<Name>, Error, Input<Name>> {
  const client = useQueryClient();
  return useMutation<Answer<Name>, Error, Input<Name>>({
    mutationFn: async (input) => await call(name, input, { exact }),
    // Not waited for: what it brings may take the asking component away, and what that wanted to say with it.
    onSuccess: () => void refresh(client, refreshes),
  });
}

/** Asks again for whatever is on the screen of these operations, and forgets the rest of them; without `pages`, not for lists in pages. */
export async function refresh(
  client: QueryClient,
  names: readonly string[],
  { pages = true }: { readonly pages?: boolean } = {},
): Promise<void> {
  const isMeant = ({ queryKey: [name, , kind] }: Query): boolean =>
    (pages || kind !== "pages") &&
    names.some((wanted) => (wanted.endsWith(".") ? String(name).startsWith(wanted) : name === wanted));
  // The client takes what is on its way for the answer, and that may have been read before the change.
  const firstReads = new Set(
    client
      .getQueryCache()
      .findAll({ predicate: isMeant, fetchStatus: "fetching" })
      .filter(({ state }) => state.data === undefined),
  );
  await client.invalidateQueries({ predicate: isMeant });
  if (firstReads.size > 0) await client.invalidateQueries({ predicate: (query) => firstReads.has(query) });
}

/** Reads are tried again when that may help: never what was refused. */
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
