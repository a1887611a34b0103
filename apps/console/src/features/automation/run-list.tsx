import type { ReactNode } from "react";
import type { Pages } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Button, Card, EmptyState, Link, LoadedPages, Select, useUrlState } from "../../ui/ui.ts";
import type { Option } from "../../ui/ui.ts";

/** The choice that includes all runs. */
const ALL = "all";

/** Returns the filter of a list of runs by state. `name` is the filter's name in the URL and in the API. */
export function useRunState(name: string): {
  readonly query: object;
  readonly state: string;
  set(state: string): void;
} {
  const [state, set] = useUrlState(name, ALL);
  return { query: state === ALL ? {} : { [name]: state }, state, set };
}

export interface RunListProps<Run> {
  readonly pages: Pages<Run>;
  readonly filter: ReturnType<typeof useRunState>;
  /** The states to choose from, in addition to all of them. */
  readonly states: readonly Option[];
  /** The title where there is no run in any state. */
  readonly none: string;
  /** Explains when a run starts. */
  readonly hint: ReactNode;
  readonly children: (runs: readonly Run[]) => ReactNode;
}

/** Lists the runs of one rule or workflow, in all states or one. */
export function RunList<Run>({ pages, filter, states, none, hint, children }: RunListProps<Run>) {
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-2">
        <div className="w-52">
          <Select
            label="State"
            options={[{ value: ALL, label: "All runs" }, ...states]}
            value={filter.state}
            onChange={filter.set}
          />
        </div>
        <Button size="sm" onPress={pages.refetch}>
          Refresh
        </Button>
      </div>
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the runs"
          empty={
            <EmptyState
              title={filter.state === ALL ? none : "No matching runs"}
              action={
                <Link to={paths.tester} look="button">
                  Send test event
                </Link>
              }
            >
              {hint}
            </EmptyState>
          }
        >
          {children}
        </LoadedPages>
      </Card>
    </div>
  );
}
