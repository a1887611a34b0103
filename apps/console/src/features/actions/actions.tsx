import { Plus, Zap } from "lucide-react";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { EnvironmentBadge, ENVIRONMENT_FILTER } from "../../shared/shared.ts";
import { Badge, labelsOf, Link, ResourceList } from "../../ui/ui.ts";
import type { TableColumn } from "../../ui/ui.ts";
import { RiskBadge } from "./preview-card.tsx";

/** Lists the registered actions, which an AI, a rule or a program can request. */
export function Screen() {
  const access = useAccess();
  const register = access.may("action_contracts.create") ? (
    <Link to={paths.action("new")} look="primary">
      <Plus aria-hidden size={15} />
      Register action
    </Link>
  ) : null;
  return (
    <ResourceList
      operation="action_contracts.list"
      title="Actions"
      filters={ENVIRONMENT_FILTER}
      description="Operations that your backend can run on request. Each action defines its parameters, allowed roles and backend. Only registered actions can be requested."
      actions={register ?? <p className="text-sm text-muted">Your role ({access.role}) can't register actions.</p>}
      noun="actions"
      emptyTitle="No actions yet"
      icon={Zap}
      emptyAction={register}
      hint="Register an action of your backend, or enable a connector that provides actions."
      columns={COLUMNS}
    />
  );
}

const COLUMNS: readonly TableColumn<wire.ActionContract>[] = [
  {
    header: "Action",
    // The link names the environment, because live and the sandbox can have an action of the same key.
    cell: (contract) => (
      <span className="flex min-w-0 flex-col">
        <Link
          to={`${paths.action(contract.key)}?environment=${contract.environment}`}
          look="plain"
          className="w-fit font-medium wrap-anywhere hover:underline"
        >
          <bdi>{contract.label}</bdi>
        </Link>
        <code className="text-xs break-all text-muted">{contract.key}</code>
      </span>
    ),
  },
  { header: "Environment", from: "sm", cell: (contract) => <EnvironmentBadge of={contract} /> },
  { header: "Risk", cell: (contract) => <RiskBadge risk={contract.risk} /> },
  {
    header: "Approval",
    from: "sm",
    cell: (contract) => (contract.requires_confirmation ? "Required" : "Not required"),
  },
  { header: "Reversible", from: "md", cell: (contract) => (contract.reversible ? "Yes" : "No") },
  { header: "Allowed roles", from: "lg", cell: (contract) => labelsOf(contract.roles) },
  {
    header: "Managed by",
    from: "md",
    cell: (contract) =>
      contract.connector_key === null ? (
        "API"
      ) : (
        <Link to={paths.connector(contract.connector_key)}>{contract.connector_key}</Link>
      ),
  },
  { header: "Version", from: "lg", align: "end", cell: (contract) => <Badge>{contract.version}</Badge> },
];
