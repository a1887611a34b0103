import { useQuery, useQueryClient } from "@tanstack/react-query";
import { readExact, refresh, useLive } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import {
  ActorName,
  isOpen,
  JsonBlock,
  PreviewCard,
  ProposalLight,
  proposalWords,
  RunLight,
} from "../../governance/governance.ts";
import { paths } from "../../paths.ts";
import {
  Card,
  CopyButton,
  KeyValue,
  Link,
  Loaded,
  PageHeader,
  RelativeTime,
  ShowAs,
  usePathParameter,
} from "../../ui/ui.ts";
import { Decide } from "./decide.tsx";

/** One proposal: exactly what it would do, who asked and why, and the decision. To open it changes nothing. */
export function Screen() {
  const id = usePathParameter("id");
  const client = useQueryClient();
  const query = useQuery(readExact("proposals.get", { path: { id } }));
  useLive("proposal", () => void refresh(client, ["proposals.get"]));
  return (
    <Loaded query={query} label="Loading the proposal" page="Proposal">
      {(proposal) => <Proposal proposal={proposal} />}
    </Loaded>
  );
}

function Proposal({ proposal }: { readonly proposal: wire.Proposal }) {
  const { means } = proposalWords(proposal.state);
  return (
    <>
      <PageHeader
        title={proposal.preview.title}
        back={{ to: paths.approvals, label: "Approvals" }}
        status={<ProposalLight state={proposal.state} />}
        description={means}
        actions={<ShowAs operation="proposals.get" input={{ path: { id: proposal.id } }} />}
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <PreviewCard preview={proposal.preview} />
          {proposal.prompt === null ? null : (
            <Card title="Why" description="What led to it, in the words of whoever asked.">
              <blockquote className="border-l-2 border-line-strong pl-3 break-words whitespace-pre-wrap">
                <bdi>{proposal.prompt}</bdi>
              </blockquote>
            </Card>
          )}
          <Approvals proposal={proposal} />
          <Card title="Parameters" description="Redacted: secrets are not shown.">
            <JsonBlock label="Parameters" value={proposal.parameters} />
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {isOpen(proposal) ? <Decide proposal={proposal} /> : <Ended proposal={proposal} />}
          <Facts proposal={proposal} />
        </div>
      </div>
    </>
  );
}

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
              {approval.kind === "inline" ? ", with the call itself" : ""}
            </span>
            {approval.comment === null ? null : <bdi className="basis-full break-words">{approval.comment}</bdi>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Ended({ proposal }: { readonly proposal: wire.Proposal }) {
  const { decision, run } = proposal;
  const rows = [
    ...(decision === null
      ? []
      : [
          { label: "Decided by", value: <ActorName actor={decision.by} /> },
          { label: "When", value: <RelativeTime at={decision.at} /> },
          { label: "Why", value: decision.reason === null ? "No reason was given." : <bdi>{decision.reason}</bdi> },
        ]),
    ...(proposal.run_id === null
      ? []
      : [
          {
            label: "Run",
            value: (
              <span className="flex flex-wrap items-center gap-2">
                {run === undefined ? null : <RunLight status={run.status} />}
                <Link to={paths.run(proposal.run_id)}>Open the run</Link>
              </span>
            ),
          },
        ]),
    ...(run?.error == null ? [] : [{ label: "Error", value: run.error.detail ?? run.error.code }]),
    ...(proposal.superseded_by === null
      ? []
      : [
          { label: "Replaced by", value: <Link to={paths.approval(proposal.superseded_by)}>The edited proposal</Link> },
        ]),
  ];
  return (
    <Card title={proposalWords(proposal.state).word}>
      {rows.length === 0 ? (
        <p className="text-muted">{proposalWords(proposal.state).means}</p>
      ) : (
        <KeyValue rows={rows} />
      )}
    </Card>
  );
}

function Facts({ proposal }: { readonly proposal: wire.Proposal }) {
  return (
    <Card title="About it">
      <KeyValue
        rows={[
          { label: "Action", value: <Link to={paths.action(proposal.action)}>{proposal.action}</Link> },
          { label: "Asked by", value: <ActorName actor={proposal.proposer} /> },
          ...(proposal.edited_by === null
            ? []
            : [{ label: "Edited by", value: <ActorName actor={proposal.edited_by} /> }]),
          { label: "Through", value: proposal.surface },
          { label: "Asked", value: <RelativeTime at={proposal.created_at} /> },
          { label: "Expires", value: <RelativeTime at={proposal.expires_at} /> },
          { label: "May decide", value: proposal.approver_roles.join(", ") },
          {
            label: "Approvals",
            value: `${proposal.approvals_required} needed${proposal.four_eyes ? ", not by whoever asked" : ""}`,
          },
          {
            label: "Id",
            value: (
              <span className="inline-flex max-w-full items-center gap-1">
                <code className="text-xs break-all">{proposal.id}</code>
                <CopyButton text={proposal.id} label="Copy the proposal's id" />
              </span>
            ),
          },
          ...(proposal.supersedes === null
            ? []
            : [
                {
                  label: "Edited from",
                  value: <Link to={paths.approval(proposal.supersedes)}>The first proposal</Link>,
                },
              ]),
        ]}
      />
    </Card>
  );
}
