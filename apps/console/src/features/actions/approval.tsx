import { readExact, useLiveRefresh } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { ActorName, JsonBlock } from "../../shared/shared.ts";
import {
  Card,
  CopiedId,
  IdLink,
  KeyValue,
  labelOf,
  labelsOf,
  Link,
  PageHeader,
  RelativeTime,
  ResourcePage,
  ShowAs,
} from "../../ui/ui.ts";
import { Decide } from "./decide.tsx";
import { ProposalLight, RunLight } from "./lights.tsx";
import { PreviewCard } from "./preview-card.tsx";
import { actionName, isOpen, isRegistered, isStep, proposalWords } from "./states.ts";

/** Shows one proposal: exactly what it would do, who requested it and why, and the decision. Opening it changes nothing. */
export function Screen() {
  useLiveRefresh("proposal", "proposals.get");
  return (
    <ResourcePage read={(id) => readExact("proposals.get", { path: { id } })} heading="Proposal">
      {(proposal) => <Proposal proposal={proposal} />}
    </ResourcePage>
  );
}

function Proposal({ proposal }: { readonly proposal: wire.Proposal }) {
  const { means } = proposalWords(proposal);
  return (
    <>
      <PageHeader
        title={proposal.preview.title}
        back={{ to: paths.approvals, label: "Approvals" }}
        status={<ProposalLight proposal={proposal} />}
        description={means}
        actions={<ShowAs operation="proposals.get" input={{ path: { id: proposal.id } }} />}
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <PreviewCard preview={proposal.preview} isStep={isStep(proposal)} />
          {proposal.preview.example === undefined ? null : <Example example={proposal.preview.example} />}
          {proposal.workflow === null ? null : <Origin workflow={proposal.workflow} />}
          {proposal.prompt === null ? null : (
            <Card title="Reason" description="As given by the requester.">
              <blockquote className="border-l-2 border-line-strong pl-3 break-words whitespace-pre-wrap">
                <bdi>{proposal.prompt}</bdi>
              </blockquote>
            </Card>
          )}
          <Approvals proposal={proposal} />
          <Card title="Parameters" description="Secrets are redacted.">
            <JsonBlock label="Parameters" value={proposal.parameters} />
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {isOpen(proposal) ? <Decide proposal={proposal} /> : <EndedProposal proposal={proposal} />}
          <Facts proposal={proposal} />
        </div>
      </div>
    </>
  );
}

/** Shows one of the objects that an operator tool would change. */
function Example({ example }: { readonly example: unknown }) {
  return (
    <Card
      title="Example"
      description="One of the objects that would change, when the change was requested. Customers, senders or receivers wrote the values below untrusted."
    >
      <JsonBlock label="Example" value={example} empty="There is no object yet." />
    </Card>
  );
}

/** Names the workflow that waits for the decision, with links to its run and to the event that started it. */
function Origin({ workflow }: { readonly workflow: wire.ProposalWorkflow }) {
  return (
    <p className="text-sm wrap-anywhere text-muted">
      Workflow{" "}
      <Link to={paths.workflow(workflow.id)}>
        <bdi>{workflow.name}</bdi>
      </Link>{" "}
      (version {workflow.version}), step <Link to={paths.workflowRun(workflow.run_id)}>{workflow.step_id}</Link>,
      started by event <Link to={paths.event(workflow.event.id)}>{workflow.event.type}</Link>
    </p>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  inline: ", confirmed in the call",
  standing: ", in advance",
};

function Approvals({ proposal }: { readonly proposal: wire.Proposal }) {
  if (proposal.approvals.length === 0) return null;
  return (
    <Card title={`Approved by ${proposal.approvals.length} of ${proposal.approvals_required}`}>
      <ul className="flex flex-col gap-2">
        {proposal.approvals.map((approval) => (
          <li key={`${approval.at} ${approval.by.id ?? ""}`} className="flex flex-wrap items-baseline gap-x-3">
            <ActorName actor={approval.by} />
            <span className="text-sm text-muted">
              <RelativeTime at={approval.at} />
              {KINDS[approval.kind] ?? ""}
              {approval.via === undefined ? "" : `, in ${labelOf(approval.via)}`}
            </span>
            {approval.comment === null ? null : <bdi className="basis-full break-words">{approval.comment}</bdi>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function EndedProposal({ proposal }: { readonly proposal: wire.Proposal }) {
  const { decision, run } = proposal;
  const rows = [
    ...(decision === null
      ? []
      : [
          { label: "Decided by", value: <ActorName actor={decision.by} /> },
          decision.via === undefined ? null : { label: "Decided in", value: labelOf(decision.via) },
          { label: "Decided", value: <RelativeTime at={decision.at} /> },
          { label: "Reason", value: decision.reason === null ? "None" : <bdi>{decision.reason}</bdi> },
        ]),
    proposal.run_id === null
      ? null
      : {
          label: "Run",
          value: (
            <span className="flex flex-wrap items-center gap-2">
              {run === undefined ? null : <RunLight status={run.status} />}
              <IdLink to={paths.run(proposal.run_id)} id={proposal.run_id} />
            </span>
          ),
        },
    run?.error == null ? null : { label: "Error", value: run.error.detail ?? run.error.code },
    proposal.superseded_by === null
      ? null
      : { label: "Replaced by", value: <Link to={paths.approval(proposal.superseded_by)}>Edited proposal</Link> },
  ];
  return (
    <Card title={proposalWords(proposal).word}>
      {rows.every((row) => row === null) ? (
        <p className="text-muted">{proposalWords(proposal).means}</p>
      ) : (
        <KeyValue rows={rows} />
      )}
    </Card>
  );
}

function Facts({ proposal }: { readonly proposal: wire.Proposal }) {
  return (
    <Card title="Details">
      <KeyValue
        rows={[
          {
            label: "Action",
            value: isRegistered(proposal) ? (
              <Link to={paths.action(proposal.action)}>{proposal.action}</Link>
            ) : (
              <code>{actionName(proposal.action)}</code>
            ),
          },
          { label: "Requested by", value: <ActorName actor={proposal.proposer} /> },
          proposal.edited_by === null ? null : { label: "Edited by", value: <ActorName actor={proposal.edited_by} /> },
          { label: "Surface", value: labelOf(proposal.surface) },
          proposal.proposer.type === "ai"
            ? {
                label: "AI history",
                value: <Link to={`${paths.aiHistory}?proposal_id=${proposal.id}`}>View request</Link>,
              }
            : null,
          { label: "Requested", value: <RelativeTime at={proposal.created_at} /> },
          isOpen(proposal)
            ? { label: "Expires", value: <RelativeTime at={proposal.expires_at} /> }
            : { label: "Ended", value: <RelativeTime at={proposal.ended_at} /> },
          { label: "Approvers", value: labelsOf(proposal.approver_roles) },
          {
            label: "Required approvals",
            value: `${proposal.approvals_required}${proposal.four_eyes ? " (second-person approval)" : ""}`,
          },
          { label: "ID", value: <CopiedId id={proposal.id} what="proposal" /> },
          proposal.supersedes === null
            ? null
            : { label: "Edited from", value: <Link to={paths.approval(proposal.supersedes)}>Original proposal</Link> },
        ]}
      />
    </Card>
  );
}
