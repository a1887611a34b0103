import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { isExactNumber, isProblem, parseExact, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import { Button, Card, Dialog, ErrorNote, fieldError, Form, RelativeTime, TextField, toast } from "../../ui/ui.ts";

const REFRESHES = ["proposals.", "runs.", "audit."];

/** Approve, reject, edit. An approval is of what is on the screen: of anything else the service refuses it. */
export function Decide({ proposal }: { readonly proposal: wire.Proposal }) {
  const [isRejecting, setRejecting] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const access = useAccess();
  const approve = useWrite("proposals.approve", { refreshes: REFRESHES });
  const mayDecide = access.may("proposals.approve") && proposal.approver_roles.includes(access.role);
  const left = proposal.approvals_required - proposal.approvals.length;
  return (
    <Card
      title="Decide"
      description={
        <>
          Expires <RelativeTime at={proposal.expires_at} />.
          {left > 1 ? ` ${left} more people have to approve.` : " Your approval runs it at once."}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {mayDecide ? null : (
          <p className="text-sm text-muted">
            Your role, {access.role}, does not decide on this. {proposal.approver_roles.join(" or ")} can.
          </p>
        )}
        <div className="flex flex-wrap gap-2">
          <Button
            variant="primary"
            isDisabled={!mayDecide}
            isPending={approve.isPending}
            onPress={() =>
              approve.mutate(
                { path: { id: proposal.id }, body: { params_hash: proposal.params_hash } },
                { onSuccess: (now) => toast(now.state === "proposed" ? "Your approval counts." : "Approved.") },
              )
            }
          >
            Approve
          </Button>
          <Button isDisabled={!mayDecide} onPress={() => setRejecting(true)}>
            Reject…
          </Button>
          <Button variant="quiet" isDisabled={!access.may("proposals.update")} onPress={() => setEditing(true)}>
            Edit…
          </Button>
        </div>
        {approve.error === null ? null : <ErrorNote error={approve.error} />}
        {isProblem(approve.error, "conflict") ? (
          <p className="text-sm text-muted">It changed since this page was loaded. What you see now is what it is.</p>
        ) : null}
      </div>
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
      {
        onSuccess: () => {
          toast("Rejected. Nothing was done.");
          onClose();
        },
      },
    );
  return (
    <Dialog
      title="Reject this proposal"
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form="reject" variant="danger" isPending={reject.isPending}>
            Reject
          </Button>
        </>
      }
    >
      <Form id="reject" onSubmit={send} error={reject.error}>
        <TextField
          label="Reason"
          description="Whoever asked sees it. It may be left out."
          lines={3}
          maxLength={1000}
          autoFocus
          value={reason}
          onChange={setReason}
          {...fieldError(reject.error, "/reason")}
        />
      </Form>
    </Dialog>
  );
}

/** An edit makes a proposal of its own, which others approve: whoever edits it has asked for it. */
function EditDialog({ proposal, onClose }: DialogProps) {
  const navigate = useNavigate();
  const [text, setText] = useState(JSON.stringify(proposal.parameters, null, 2));
  const [fault, setFault] = useState<string>();
  const edit = useWrite("proposals.update", { refreshes: REFRESHES });
  const send = (): void => {
    const parameters = objectOf(text);
    if (parameters === undefined) return setFault("This is no JSON object. Look for a missing comma or quote.");
    setFault(undefined);
    edit.mutate(
      { path: { id: proposal.id }, body: { parameters } },
      {
        onSuccess: (made) => {
          toast("Edited: a new proposal waits for approval.");
          onClose();
          void navigate({ to: paths.approval(made.id) });
        },
      },
    );
  };
  return (
    <Dialog
      title="Edit the parameters"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form="edit" variant="primary" isPending={edit.isPending}>
            Propose the edited one
          </Button>
        </>
      }
    >
      <Form id="edit" judge="service" onSubmit={send} error={edit.error}>
        <TextField
          label="Parameters"
          description="Secrets are redacted here: write them anew where they are to be sent."
          lines={10}
          mono
          value={text}
          onChange={setText}
          {...(fault === undefined ? fieldError(edit.error, "/parameters") : { error: fault })}
        />
      </Form>
    </Dialog>
  );
}

function objectOf(text: string): object | undefined {
  try {
    const value = parseExact(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
    return isObject ? value : undefined;
  } catch {
    return undefined;
  }
}
