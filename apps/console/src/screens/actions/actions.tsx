import { Plus, Zap } from "lucide-react";
import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { RiskBadge } from "../../governance/governance.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { Badge, Card, EmptyState, Link, LoadedPages, PageHeader, ShowAs, Table } from "../../ui/ui.ts";

/** The registered actions: all that an AI, a rule or a program can ask for. */
export function Screen() {
  const pages = usePages("action_contracts.list");
  const access = useAccess();
  const register = access.may("action_contracts.create") ? (
    <Link to={paths.action("new")} look="primary">
      <Plus aria-hidden size={15} />
      Register an action
    </Link>
  ) : null;
  return (
    <>
      <PageHeader
        title="Actions"
        description="What can be asked for at all: anything else is refused. Each has parameters, roles, and a backend of yours that does it."
        actions={
          <>
            <ShowAs operation="action_contracts.list" input={{}} />
            {register ?? <p className="text-sm text-muted">Your role, {access.role}, registers no actions.</p>}
          </>
        }
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the actions"
          empty={
            <EmptyState title="No action is registered" icon={<Zap aria-hidden size={20} />} action={register}>
              Register one of yours, or enable a connector that brings some.
            </EmptyState>
          }
        >
          {(rows) => <ActionTable rows={rows} />}
        </LoadedPages>
      </Card>
    </>
  );
}

function ActionTable({ rows }: { readonly rows: readonly wire.ActionContract[] }) {
  return (
    <Table
      label="Actions"
      rows={rows}
      keyOf={(contract) => contract.key}
      columns={[
        {
          id: "label",
          header: "Action",
          cell: (contract) => (
            <span className="flex min-w-0 flex-col">
              <Link
                to={paths.action(contract.key)}
                look="plain"
                className="w-fit font-medium break-words hover:underline"
              >
                <bdi>{contract.label}</bdi>
              </Link>
              <code className="text-xs break-all text-muted">{contract.key}</code>
            </span>
          ),
        },
        { id: "risk", header: "Risk", cell: (contract) => <RiskBadge risk={contract.risk} /> },
        {
          id: "confirm",
          header: "Runs",
          from: "sm",
          cell: (contract) => (contract.requires_confirmation ? "after approval" : "at once"),
        },
        { id: "undo", header: "Undo", from: "md", cell: (contract) => (contract.reversible ? "yes" : "no") },
        { id: "roles", header: "Who may ask", from: "lg", cell: (contract) => contract.roles.join(", ") },
        {
          id: "from",
          header: "From",
          from: "md",
          cell: (contract) =>
            contract.connector_key === null ? (
              "the API"
            ) : (
              <Link to={paths.connector(contract.connector_key)}>{contract.connector_key}</Link>
            ),
        },
        {
          id: "version",
          header: "Version",
          from: "lg",
          align: "end",
          cell: (contract) => <Badge>{contract.version}</Badge>,
        },
      ]}
    />
  );
}
