import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useLiveRefresh } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { ActorName } from "../../shared/shared.ts";
import {
  Button,
  Checkbox,
  EmptyState,
  ExternalLink,
  Link,
  optionsOf,
  RelativeTime,
  ResourceList,
  Table,
  useFilters,
} from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";
import { DecideMany } from "./decide-many.tsx";
import type { Deciding } from "./decide-many.tsx";
import { ProposalLight } from "./lights.tsx";
import { RiskBadge } from "./preview-card.tsx";
import { actionName, byUrgency, stateWord } from "./states.ts";

const DECIDED = [
  "approved",
  "executing",
  "executed",
  "failed",
  "rejected",
  "expired",
  "cancelled",
  "superseded",
  "undone",
  "undo_failed",
];
const FILTERS: readonly FilterField[] = [
  { name: "state", label: "State", options: DECIDED.map((value) => ({ value, label: stateWord(value) })) },
  { name: "action", label: "Action", mono: true, placeholder: "billing.refund" },
  {
    name: "surface",
    label: "Surface",
    options: optionsOf(["assistant", "mcp", "api", "console", "rule", "workflow", "connector"]),
  },
];
const OPEN = { state: "proposed" };

/** Lists the proposals that wait for a decision, the riskiest first, or those of a filter. */
export function Screen() {
  const [filters] = useFilters();
  const isQueue = (filters["state"] ?? OPEN.state) === OPEN.state;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [deciding, setDeciding] = useState<Deciding>();
  useLiveRefresh("proposal", "proposals.list");
  return (
    <>
      <ResourceList
        operation="proposals.list"
        title="Approvals"
        description="Actions and workflow steps that wait for a person's approval. A pending proposal has not run. It runs only when it is approved, and never after it expires."
        filters={FILTERS}
        actions={<Link to={paths.approvalChannels}>Channels</Link>}
        query={OPEN}
        noun="approvals"
        empty={<Nothing isQueue={isQueue} />}
      >
        {(rows) =>
          isQueue ? (
            <Queue rows={byUrgency(rows)} selected={selected} onSelect={setSelected} onDecide={setDeciding} />
          ) : (
            <Table label="Proposals" rows={rows} columns={COLUMNS} />
          )
        }
      </ResourceList>
      {/* Outside of the list, which is empty as soon as all are decided. */}
      {deciding === undefined ? null : (
        <DecideMany
          {...deciding}
          onClose={() => {
            setDeciding(undefined);
            setSelected(new Set());
          }}
        />
      )}
    </>
  );
}

interface QueueProps {
  readonly rows: readonly wire.Proposal[];
  /** Ids of the selected proposals. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onDecide: (deciding: Deciding) => void;
}

/** The proposals that wait, of which several can be decided together. */
function Queue({ rows, selected, onSelect, onDecide }: QueueProps) {
  const access = useAccess();
  const chosen = rows.filter(({ id }) => selected.has(id));
  const select = (ids: readonly string[], isOn: boolean): void =>
    onSelect(new Set(isOn ? [...selected, ...ids] : [...selected].filter((id) => !ids.includes(id))));
  const mine = rows.filter(({ approver_roles: roles }) => roles.includes(access.role));
  const mayDecide = access.may("proposals.approve") && mine.length > 0;
  const isAll = chosen.length > 0 && chosen.length === mine.length;
  return (
    <>
      {mayDecide ? (
        <div className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2">
          <Checkbox
            isSelected={isAll}
            isIndeterminate={chosen.length > 0 && !isAll}
            onChange={(isOn) =>
              select(
                mine.map(({ id }) => id),
                isOn,
              )
            }
          >
            Select all
          </Checkbox>
          <Button
            size="sm"
            isDisabled={chosen.length === 0}
            onPress={() => onDecide({ decision: "approve", proposals: chosen })}
          >
            Approve selected
          </Button>
          <Button
            size="sm"
            isDisabled={chosen.length === 0}
            onPress={() => onDecide({ decision: "reject", proposals: chosen })}
          >
            Reject selected
          </Button>
        </div>
      ) : null}
      <Table
        label="Proposals"
        rows={rows}
        columns={mayDecide ? [...COLUMNS, selection({ selected, select, role: access.role })] : COLUMNS}
      />
    </>
  );
}

interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly select: (ids: readonly string[], isOn: boolean) => void;
  readonly role: string;
}

function selection({ selected, select, role }: Selection): TableColumn<wire.Proposal> {
  return {
    header: "Select",
    align: "end",
    cell: ({ id, preview, approver_roles: roles }) => (
      <Checkbox
        aria-label={`Select ${preview.title}`}
        isSelected={selected.has(id)}
        isDisabled={!roles.includes(role)}
        onChange={(isOn) => select([id], isOn)}
      />
    ),
  };
}

function Nothing({ isQueue }: { readonly isQueue: boolean }) {
  if (!isQueue) return <EmptyState title="No matching proposals" />;
  return (
    <EmptyState
      title="No pending approvals"
      icon={<ShieldCheck aria-hidden size={20} />}
      action={<Link to={`${paths.approvals}?state=executed`}>View approved actions</Link>}
    >
      Requested actions that need confirmation appear here. To try it, call <code>POST /v1/actions/run</code> with a
      sandbox key. See the <ExternalLink href="/docs">API reference</ExternalLink>.
    </EmptyState>
  );
}

const COLUMNS: readonly TableColumn<wire.Proposal>[] = [
  {
    header: "Proposal",
    cell: (proposal) => (
      <span className="flex max-w-xl min-w-0 flex-col">
        <Link
          to={paths.approval(proposal.id)}
          look="plain"
          className="line-clamp-2 w-fit font-medium wrap-anywhere hover:underline"
        >
          <bdi>{proposal.preview.title}</bdi>
        </Link>
        {proposal.workflow === null ? (
          <code className="truncate text-xs text-muted">{actionName(proposal.action)}</code>
        ) : (
          <span className="truncate text-xs text-muted">
            Workflow <bdi>{proposal.workflow.name}</bdi>, step <code>{proposal.workflow.step_id}</code>
          </span>
        )}
      </span>
    ),
  },
  { header: "Risk", cell: (proposal) => <RiskBadge risk={proposal.preview.risk} /> },
  { header: "State", from: "md", cell: (proposal) => <ProposalLight proposal={proposal} /> },
  { header: "Requested by", from: "md", cell: (proposal) => <ActorName actor={proposal.proposer} /> },
  { header: "Requested", from: "sm", cell: (proposal) => <RelativeTime at={proposal.created_at} /> },
  {
    header: "Ended or expires",
    from: "lg",
    cell: (proposal) => <RelativeTime at={proposal.ended_at ?? proposal.expires_at} />,
  },
];
