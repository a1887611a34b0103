import { Plus, Workflow } from "lucide-react";
import type { ReactNode } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { EnvironmentBadge, ENVIRONMENT_FILTER } from "../../shared/shared.ts";
import { Link, RelativeTime, ResourceList, ShowAs, Switch, Table, toastError } from "../../ui/ui.ts";
import type { TableColumn } from "../../ui/ui.ts";
import type { Automation, AutomationNames } from "./automation-kind.ts";

export interface AutomationListProps<Item extends Automation> {
  readonly names: AutomationNames;
  readonly description: string;
  /** An example definition for the call as code. */
  readonly example: wire.NewRule | wire.NewWorkflow;
  /** Explains the kind while no item exists. */
  readonly children: ReactNode;
  /** Columns between the name and the time of the last change. */
  readonly columns: readonly TableColumn<Item>[];
}

/** Lists all rules or workflows, each with a switch. */
export function AutomationList<Item extends Automation>(props: AutomationListProps<Item>) {
  const { names, description, example, columns, children } = props;
  const { area, noun } = names;
  const access = useAccess();
  const add = access.may(`${area}.create`) ? (
    <Link to={names.pathOf("new")} look="primary">
      <Plus aria-hidden size={15} />
      Create {noun}
    </Link>
  ) : null;
  return (
    <ResourceList
      operation={`${area}.list`}
      title={names.list.label}
      description={description}
      filters={ENVIRONMENT_FILTER}
      actions={
        add ?? (
          <p className="text-sm text-muted">
            Your role ({access.role}) can't create {area}.
          </p>
        )
      }
      noun={area}
      emptyTitle={`No ${area} yet`}
      icon={Workflow}
      emptyAction={
        <>
          <ShowAs operation={`${area}.create`} input={{ body: example }} />
          {add}
        </>
      }
      hint={<>{children}</>}
    >
      {(rows) => (
        <Table
          label={names.list.label}
          rows={rows as readonly Item[]}
          columns={[nameColumn(names), ACTS_IN, ...columns, CHANGED, toggleColumn(names)]}
        />
      )}
    </ResourceList>
  );
}

const CHANGED: TableColumn<Automation> = {
  header: "Updated",
  from: "lg",
  cell: (item) => (
    <span className="whitespace-nowrap">
      <RelativeTime at={item.updated_at} />
    </span>
  ),
};

const ACTS_IN: TableColumn<Automation> = {
  header: "Environment",
  from: "sm",
  cell: (item) => <EnvironmentBadge of={item} />,
};

function nameColumn(names: AutomationNames): TableColumn<Automation> {
  return {
    header: names.heading,
    className: "w-full max-w-0",
    cell: (item) => (
      <Link to={names.pathOf(item.id)} look="plain" className="block truncate font-medium hover:underline">
        <bdi>{item.name}</bdi>
      </Link>
    ),
  };
}

function toggleColumn({ area }: AutomationNames): TableColumn<Automation> {
  return { header: "Enabled", cell: (item) => <Toggle area={area} item={item} /> };
}

function Toggle({ area, item }: { readonly area: "rules" | "workflows"; readonly item: Automation }) {
  const access = useAccess();
  const update = useWrite(`${area}.update`, { refreshes: [`${area}.`] });
  return (
    <Switch
      isSelected={item.enabled}
      isDisabled={update.isPending || !access.may(`${area}.update`)}
      onChange={(enabled) => update.mutate({ path: { id: item.id }, body: { enabled } }, { onError: toastError })}
      aria-label={`${item.name.slice(0, 80)} enabled`}
    >
      {item.enabled ? "On" : "Off"}
    </Switch>
  );
}
