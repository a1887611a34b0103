import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { isProblem, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { readObject, StepUpDialog } from "../../shared/shared.ts";
import {
  Button,
  Card,
  ErrorNote,
  fieldError,
  FormDialog,
  RelativeTime,
  TextField,
  toast,
  toastSuccess,
} from "../../ui/ui.ts";
import { approvalEffect, isRegistered, isStep } from "./states.ts";

const REFRESHES = ["proposals.", "runs.", "audit."];

/** Approves, rejects or edits a proposal. An approval applies to the version on the screen; the service refuses it for any other version. */
export function Decide({ proposal }: { readonly proposal: wire.Proposal }) {
  const [isRejecting, setRejecting] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const access = useAccess();
  const [isProving, setProving] = useState(false);
  const approve = useWrite("proposals.approve", { refreshes: REFRESHES });
  const { id, params_hash: hash } = proposal;
  const send = (): void =>
    approve.mutate(
      { path: { id }, body: { params_hash: hash } },
      {
        onSuccess: (now) => toast(now.state === "proposed" ? "Approval recorded." : "Proposal approved."),
        onError: (error) => setProving(isProblem(error, "step_up_required")),
      },
    );
  const mayDecide = access.may("proposals.approve") && proposal.approver_roles.includes(access.role);
  const left = proposal.approvals_required - proposal.approvals.length;
  return (
    <Card
      title="Decision"
      description={
        <>
          Expires <RelativeTime at={proposal.expires_at} />. {approvalEffect(proposal, left)}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {mayDecide ? null : (
          <p className="text-sm text-muted">
            Your role ({access.role}) can't approve or reject this proposal. Approvers:{" "}
            {proposal.approver_roles.join(", ")}.
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" isDisabled={!mayDecide} isPending={approve.isPending} onPress={send}>
            Approve
          </Button>
          <Button isDisabled={!mayDecide} onPress={() => setRejecting(true)}>
            Reject
          </Button>
          {isRegistered(proposal) ? (
            <Button variant="quiet" isDisabled={!access.may("proposals.update")} onPress={() => setEditing(true)}>
              Edit
            </Button>
          ) : null}
        </div>
        {approve.error === null || isProving ? null : <ErrorNote error={approve.error} />}
        {isProblem(approve.error, "conflict") ? (
          <p className="text-sm text-muted">
            This proposal changed after you opened it. The page now shows the latest version.
          </p>
        ) : null}
      </div>
      {isProving ? (
        <StepUpDialog
          decisions={{ proposals: [{ id, params_hash: hash }] }}
          onClose={() => setProving(false)}
          onProved={() => {
            setProving(false);
            send();
          }}
        />
      ) : null}
      {isRejecting ? <RejectDialog proposal={proposal} onClose={() => setRejecting(false)} /> : null}
      {isEditing ? <EditDialog proposal={proposal} onClose={() => setEditing(false)} /> : null}
    </Card>
  );
}

interface DialogProps {
  readonly proposal: wire.Proposal;
  readonly onClose: () => void;
}

function RejectDialog({ proposal, onClose }: DialogProps) {
  const [reason, setReason] = useState("");
  const reject = useWrite("proposals.reject", { refreshes: REFRESHES });
  const send = (): void =>
    reject.mutate(
      { path: { id: proposal.id }, body: reason.trim() === "" ? {} : { reason } },
      toastSuccess(isStep(proposal) ? "Proposal rejected." : "Proposal rejected. The action was not run.", onClose),
    );
  return (
    <FormDialog
      title="Reject proposal"
      size="sm"
      onClose={onClose}
      submitLabel="Reject proposal"
      isDangerous
      write={reject}
      onSubmit={send}
    >
      <TextField
        label="Reason"
        description="Optional. Shown to the requester."
        lines={3}
        maxLength={1000}
        autoFocus
        value={reason}
        onChange={setReason}
        {...fieldError(reject.error, "/reason")}
      />
    </FormDialog>
  );
}

/** Submits an edit as a new proposal. Others approve it, because the editor counts as its requester. */
function EditDialog({ proposal, onClose }: DialogProps) {
  const navigate = useNavigate();
  const [text, setText] = useState(JSON.stringify(proposal.parameters, null, 2));
  const [fault, setFault] = useState<string>();
  const edit = useWrite("proposals.update", { refreshes: REFRESHES });
  const send = (): void => {
    const parameters = readObject(text);
    if (parameters === undefined) return setFault("Enter a valid JSON object. Check for a missing comma or quote.");
    setFault(undefined);
    edit.mutate(
      { path: { id: proposal.id }, body: { parameters } },
      {
        onSuccess: (made) => {
          toast("Edited proposal submitted for approval.");
          onClose();
          void navigate({ to: paths.approval(made.id) });
        },
      },
    );
  };
  return (
    <FormDialog
      title="Edit parameters"
      onClose={onClose}
      submitLabel="Submit edited proposal"
      write={edit}
      judge="service"
      onSubmit={send}
    >
      <TextField
        label="Parameters"
        description="Secrets are redacted. Re-enter any secret that must be sent."
        lines={10}
        mono
        value={text}
        onChange={setText}
        {...(fault === undefined ? fieldError(edit.error, "/parameters") : { error: fault })}
      />
    </FormDialog>
  );
}
