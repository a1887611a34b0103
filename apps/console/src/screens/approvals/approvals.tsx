import { ShieldCheck } from "lucide-react";
import { useQueryClient } from "@tanstack/react-query";
import { refresh, useLive, usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { ActorName, byUrgency, ProposalLight, RiskBadge } from "../../governance/governance.ts";
import { paths } from "../../paths.ts";
import {
  Card,
  EmptyState,
  ExternalLink,
  FilterBar,
  Link,
  LoadedPages,
  PageHeader,
  RelativeTime,
  ShowAs,
  Table,
  useFilters,
} from "../../ui/ui.ts";

const STATES = ["executed", "failed", "rejected", "expired", "cancelled", "superseded", "undone", "undo_failed"];
const SURFACES = ["assistant", "mcp", "api", "console", "rule", "workflow", "connector"];

/** What waits for a person, the riskiest first; and with a filter what was decided. */
export function Screen() {
  const client = useQueryClient();
  const [filters] = useFilters();
  const state = filters["state"] ?? "proposed";
  const query = {
    state,
    ...(filters["action"] === undefined ? {} : { action: filters["action"] }),
    ...(filters["surface"] === undefined ? {} : { surface: filters["surface"] }),
  };
  const pages = usePages("proposals.list", { query });
  useLive("proposal", () => void refresh(client, ["proposals.list"]));
  const isQueue = state === "proposed";
  return (
    <>
      <PageHeader
        title="Approvals"
        description="What an AI, a rule or a program asked for and may not do by itself. Nothing here has happened yet: it runs when people approve it, and never after it expires."
        actions={<ShowAs operation="proposals.list" input={{ query }} />}
      />
      <FilterBar
        fields={[
          {
            name: "state",
            label: "Decided",
            options: STATES.map((value) => ({ value, label: value.replace("_", " ") })),
          },
          { name: "action", label: "Action", mono: true, placeholder: "billing.refund" },
          { name: "surface", label: "Asked through", options: SURFACES.map((value) => ({ value, label: value })) },
        ]}
      />
      <Card flush>
        <LoadedPages pages={pages} label="Loading the approvals" empty={<Nothing isQueue={isQueue} />}>
          {(rows) => <ProposalTable rows={isQueue ? byUrgency(rows) : rows} />}
        </LoadedPages>
      </Card>
    </>
  );
}

function Nothing({ isQueue }: { readonly isQueue: boolean }) {
  if (!isQueue) return <EmptyState title="No proposal fits these filters" />;
  return (
    <EmptyState
      title="Nothing waits for you"
      icon={<ShieldCheck aria-hidden size={20} />}
      action={<Link to={`${paths.approvals}?state=executed`}>See what was approved</Link>}
    >
      Actions that need confirmation stand here when somebody asks for one. A sandbox key tries it:{" "}
      <code>POST /v1/actions/run</code>, described in the <ExternalLink href="/docs">API reference</ExternalLink>.
    </EmptyState>
  );
}

function ProposalTable({ rows }: { readonly rows: readonly wire.Proposal[] }) {
  return (
    <Table
      label="Proposals"
      rows={rows}
      keyOf={(proposal) => proposal.id}
      columns={[
        {
          id: "what",
          header: "What",
          cell: (proposal) => (
            <span className="flex max-w-xl min-w-0 flex-col">
              <Link
                to={paths.approval(proposal.id)}
                look="plain"
                className="line-clamp-2 w-fit font-medium break-words hover:underline"
              >
                <bdi>{proposal.preview.title}</bdi>
              </Link>
              <code className="truncate text-xs text-muted">{proposal.action}</code>
            </span>
          ),
        },
        { id: "risk", header: "Risk", cell: (proposal) => <RiskBadge risk={proposal.preview.risk} /> },
        { id: "state", header: "State", from: "md", cell: (proposal) => <ProposalLight state={proposal.state} /> },
        { id: "who", header: "Asked by", from: "md", cell: (proposal) => <ActorName actor={proposal.proposer} /> },
        { id: "age", header: "Asked", from: "sm", cell: (proposal) => <RelativeTime at={proposal.created_at} /> },
        {
          id: "end",
          header: "Ends",
          from: "lg",
          cell: (proposal) => <RelativeTime at={proposal.ended_at ?? proposal.expires_at} />,
        },
      ]}
    />
  );
}
