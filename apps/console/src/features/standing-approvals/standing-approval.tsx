import { useQuery } from "@tanstack/react-query";
import { read, usePages, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { ActorName, ConditionText } from "../../shared/shared.ts";
import {
  Card,
  ConfirmButton,
  CopiedId,
  EmptyState,
  KeyValue,
  Link,
  LoadedPages,
  Meter,
  PageHeader,
  RelativeTime,
  ResourcePage,
  ShowAs,
  StatusLight,
  Table,
  toastOutcome,
  usePathParameter,
} from "../../ui/ui.ts";
import { NewStandingApproval } from "./new-standing-approval.tsx";
import { budgetText, StandingLight } from "./standing-light.tsx";

/** Shows one standing approval: what it covers, what is used of it, each use, and the button that ends it. */
export function Screen() {
  return usePathParameter("id") === "new" ? <NewStandingApproval /> : <OneStandingApproval />;
}

function OneStandingApproval() {
  return (
    <ResourcePage read={(id) => read("standing_approvals.get", { path: { id } })} heading="Standing approval">
      {(standing) => <StandingApproval standing={standing} />}
    </ResourcePage>
  );
}

interface StandingProps {
  readonly standing: wire.StandingApproval;
}

function StandingApproval({ standing }: StandingProps) {
  return (
    <>
      <PageHeader
        title={standing.name}
        back={{ to: paths.standingApprovals, label: "Standing approvals" }}
        status={<StandingLight standing={standing} />}
        description={`Approves ${standing.action} (version ${standing.contract_version}): ${budgetText(standing.budget)}.`}
        actions={
          <>
            <ShowAs operation="standing_approvals.get" input={{ path: { id: standing.id } }} />
            {standing.state === "active" ? <EndButton standing={standing} /> : null}
          </>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Budget standing={standing} />
          <Card title="Condition" description="A call that does not meet it waits for a person.">
            {standing.when === null ? (
              <p className="text-muted">{EVERY_CALL}</p>
            ) : (
              <ConditionText condition={standing.when} empty={EVERY_CALL} />
            )}
          </Card>
          <Uses id={standing.id} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Agents agents={standing.agents} />
          <Facts standing={standing} />
        </div>
      </div>
    </>
  );
}

const EVERY_CALL = "Every call of the action.";

function EndButton({ standing }: StandingProps) {
  const access = useAccess();
  const end = useWrite("standing_approvals.end", { refreshes: ["standing_approvals.", "audit."] });
  return (
    <ConfirmButton
      label="End"
      isDisabled={!access.may("standing_approvals.end")}
      title={`End ${standing.name}?`}
      confirmLabel="End standing approval"
      isPending={end.isPending}
      onConfirm={(close) => end.mutate({ path: { id: standing.id } }, toastOutcome("Standing approval ended.", close))}
    >
      <p>From the next call, every proposal waits for a person. What has already run stays as it is.</p>
    </ConfirmButton>
  );
}

function Budget({ standing: { budget, used, state, time_zone: zone } }: StandingProps) {
  return (
    <Card title="Budget" description={`Counted by the ${budget.per}, in ${zone}.`} stacked>
      <Meter label="Calls" value={used.count} most={budget.count} text={`${used.count} of ${budget.count}`} />
      {budget.sum === null || used.sum === null ? null : (
        <Meter
          label={`Sum of ${budget.sum.parameter}`}
          value={Number(used.sum)}
          most={Number(budget.sum.max)}
          text={`${used.sum} of ${budget.sum.max}`}
        />
      )}
      {state === "active" ? (
        <p className="text-sm text-muted">
          Begins again <RelativeTime at={used.window_end} />.
        </p>
      ) : null}
    </Card>
  );
}

const AGENTS: Readonly<Record<string, string>> = {
  key: "API key",
  member: "AI clients of a member",
};

function Agents({ agents }: { readonly agents: readonly wire.StandingApprovalAgent[] }) {
  return (
    <Card title="Covered callers">
      <ul className="flex flex-col gap-2">
        {agents.map(({ type, id }) => (
          <li key={`${type} ${id}`} className="flex min-w-0 flex-col">
            <span>{AGENTS[type] ?? type}</span>
            <Link to={type === "key" ? paths.key(id) : paths.members} className="truncate text-sm">
              <bdi>{type === "key" ? <KeyName id={id} /> : <MemberName id={id} />}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The name of a key, or its id while it loads and for who may not read keys. */
function KeyName({ id }: { readonly id: string }) {
  const access = useAccess();
  const { data } = useQuery({ ...read("keys.get", { path: { id } }), enabled: access.may("keys.get") });
  return data?.name ?? id;
}

function MemberName({ id }: { readonly id: string }) {
  const { data } = useQuery(read("members.list", { query: { limit: 100 } }));
  return data?.data.find((one) => one.id === id)?.name ?? id;
}

function Facts({ standing }: StandingProps) {
  return (
    <Card title="Details">
      <KeyValue
        rows={[
          { label: "Action", value: <Link to={paths.action(standing.action)}>{standing.action}</Link> },
          { label: "Version", value: standing.contract_version },
          { label: "Approved by", value: <ActorName actor={standing.created_by} /> },
          { label: "Approved", value: <RelativeTime at={standing.created_at} /> },
          { label: "Ends", value: <RelativeTime at={standing.expires_at} /> },
          { label: "Uses", value: standing.uses },
          { label: "Last used", value: <RelativeTime at={standing.last_used_at} /> },
          standing.ended_at === null ? null : { label: "Ended", value: <RelativeTime at={standing.ended_at} /> },
          standing.ended_by === null ? null : { label: "Ended by", value: <ActorName actor={standing.ended_by} /> },
          { label: "ID", value: <CopiedId id={standing.id} what="standing approval" /> },
        ]}
      />
    </Card>
  );
}

function Uses({ id }: { readonly id: string }) {
  const pages = usePages("proposals.list", { query: { standing_approval_id: id } });
  return (
    <Card title="Approved calls" flush>
      <LoadedPages pages={pages} label="Loading the approved calls" empty={<EmptyState title="Not used yet" />}>
        {(rows) => (
          <Table
            label="Approved calls"
            rows={rows}
            columns={[
              {
                header: "Proposal",
                cell: (proposal) => (
                  <Link to={paths.approval(proposal.id)} className="line-clamp-2 wrap-anywhere">
                    {proposal.preview.title}
                  </Link>
                ),
              },
              {
                header: "State",
                cell: ({ state }) => (
                  <StatusLight tone={state === "failed" ? "bad" : state === "executed" ? "good" : "neutral"}>
                    {state === "executed" ? "Done" : state}
                  </StatusLight>
                ),
              },
              { header: "Requested by", from: "md", cell: ({ proposer }) => <ActorName actor={proposer} /> },
              { header: "Time", from: "sm", cell: (proposal) => <RelativeTime at={proposal.created_at} /> },
            ]}
          />
        )}
      </LoadedPages>
    </Card>
  );
}
