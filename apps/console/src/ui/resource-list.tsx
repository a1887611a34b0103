import type { LucideIcon } from "lucide-react";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { usePages } from "../api/api.ts";
import type { Given, Input, Item, PagedName } from "../api/api.ts";
import { FilterBar } from "./filter-bar.tsx";
import type { FilterField } from "./filter-bar.tsx";
import { Card, PageHeader } from "./layout.tsx";
import { ShowAs } from "./show-as.tsx";
import { EmptyState, LoadedPages } from "./states.tsx";
import { Table } from "./table.tsx";
import type { TableColumn } from "./table.tsx";
import { rangeStart, timeRanges } from "./time-range.ts";
import { useFilters, useIsFiltered } from "./url-state.ts";

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
  /** The rows in words: "runs". */
  readonly noun: string;
  /** Label of the table. Default: the title. */
  readonly label?: string;
  readonly columns?: readonly TableColumn<Item<Name>>[];
  readonly keyOf?: (row: Item<Name>) => string;
  readonly icon?: LucideIcon;
  /** Title of the list without rows. Default: "No runs yet", or "No matching runs" with filters. */
  readonly emptyTitle?: string;
  /** The next thing to do where there is no row. */
  readonly emptyAction?: ReactNode;
  /** Explains when rows appear. */
  readonly hint?: ReactNode;
  /** Shown in place of the title, icon, action and hint where there is no row. */
  readonly empty?: ReactNode;
  /** Draws the rows in place of a table of `columns`. */
  readonly children?: (rows: readonly Item<Name>[]) => ReactNode;
}

/** The page of a list with cursors: its title, its filters, and its rows in all states. */
export function ResourceList<Name extends PagedName>(props: ResourceListProps<Name>) {
  const { operation, title, noun, filters = NO_FILTERS, query = {}, columns = [] } = props;
  const input = { query: { ...query, ...useFilterQuery(filters) } } as unknown as Input<Name>;
  const pages = usePages(operation, ...([input] as unknown as Given<Name>));
  return (
    <>
      <PageHeader
        title={title}
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
        <LoadedPages pages={pages} label={`Loading the ${noun}`} empty={props.empty ?? <NoRows {...props} />}>
          {props.children ??
            ((rows) => (
              <Table
                label={props.label ?? title}
                rows={rows}
                columns={columns}
                {...(props.keyOf === undefined ? {} : { keyOf: props.keyOf })}
              />
            ))}
        </LoadedPages>
      </Card>
    </>
  );
}

type NoRowsProps = Pick<ResourceListProps<PagedName>, "noun" | "icon" | "emptyTitle" | "emptyAction" | "hint">;

function NoRows({ noun, icon: Icon, emptyTitle, emptyAction, hint }: NoRowsProps) {
  const isFiltered = useIsFiltered();
  return (
    <EmptyState
      title={emptyTitle ?? (isFiltered ? `No matching ${noun}` : `No ${noun} yet`)}
      icon={Icon === undefined ? undefined : <Icon aria-hidden size={20} />}
      action={emptyAction}
    >
      {hint}
    </EmptyState>
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
