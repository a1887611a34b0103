import { useMemo } from "react";
import type { ReactNode } from "react";
import { usePages } from "../api/api.ts";
import type { Given, Input, Item, PagedName } from "../api/api.ts";
import { FilterBar } from "./filter-bar.tsx";
import type { FilterField } from "./filter-bar.tsx";
import { Card, PageHeader } from "./layout.tsx";
import { ShowAs } from "./show-as.tsx";
import { LoadedPages } from "./states.tsx";
import { rangeStart, timeRanges } from "./time-range.ts";
import { useFilters } from "./url-state.ts";

/** The filter by time that most lists have. */
export const sinceFilter: FilterField = {
  name: "since",
  label: "Time",
  options: timeRanges,
  isPinned: true,
  bound: "created_after",
};

export interface ResourceListProps<Name extends PagedName> {
  /** The operation that lists: "runs.list". */
  readonly operation: Name;
  readonly title: string;
  readonly description?: ReactNode;
  /** Filters of the list. The array must be the same in each render. */
  readonly filters?: readonly FilterField[];
  /** Sent where no filter of the same name is chosen. */
  readonly query?: Readonly<Record<string, string>>;
  /** Actions next to the title, after the call as code. */
  readonly actions?: ReactNode;
  /** Notice between the title and the list. */
  readonly notice?: ReactNode;
  /** Text for the loading state: "Loading the runs". */
  readonly label: string;
  readonly empty: ReactNode;
  readonly children: (rows: readonly Item<Name>[]) => ReactNode;
}

/** The page of a list with cursors: its title, its filters, and its rows in all states. */
export function ResourceList<Name extends PagedName>(props: ResourceListProps<Name>) {
  const { operation, filters = NO_FILTERS, query = {} } = props;
  const input = { query: { ...query, ...useFilterQuery(filters) } } as unknown as Input<Name>;
  const pages = usePages(operation, ...([input] as unknown as Given<Name>));
  return (
    <>
      <PageHeader
        title={props.title}
        description={props.description}
        actions={
          <>
            <ShowAs operation={operation} input={input} />
            {props.actions}
          </>
        }
      />
      {props.notice}
      {filters.length === 0 ? null : <FilterBar fields={filters} list={operation} />}
      <Card flush>
        <LoadedPages pages={pages} label={props.label} empty={props.empty}>
          {props.children}
        </LoadedPages>
      </Card>
    </>
  );
}

const NO_FILTERS: readonly FilterField[] = [];

/** Returns the query of the URL's filters. A time range keeps its start until a filter changes, because another start is another list. */
export function useFilterQuery(fields: readonly FilterField[]): Readonly<Record<string, string>> {
  const [filters] = useFilters();
  return useMemo(
    () =>
      Object.fromEntries(
        fields.flatMap(({ name, bound }) => {
          const value = bound === undefined ? filters[name] : rangeStart(filters[name]);
          return value === undefined ? [] : [[bound ?? name, value]];
        }),
      ),
    [fields, filters],
  );
}
