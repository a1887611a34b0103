import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { Button, Dialog, fieldError, Form, SecretOnce, Select, TextField } from "../../../ui/ui.ts";
import { useGivableRoles } from "./member-dialog.tsx";

type Role = wire.InvitationRequest["role"];

/** Makes an invitation; its link is passed on by whoever invites, for the service sends no e-mail. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("developer");
  const givable = useGivableRoles();
  const invite = useWrite("members.invitations.create", { refreshes: ["members."] });
  if (invite.data !== undefined) return <Invited invitation={invite.data} onClose={onClose} />;
  return (
    <Dialog
      title="Invite somebody"
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form="invite" variant="primary" isPending={invite.isPending}>
            Make the invitation
          </Button>
        </>
      }
    >
      <Form id="invite" onSubmit={() => invite.mutate({ body: { email, role } })} error={invite.error}>
        <TextField
          label="E-mail"
          type="email"
          isRequired
          autoFocus
          value={email}
          onChange={setEmail}
          {...fieldError(invite.error, "/email")}
        />
        <Select
          label="Role"
          description="See Roles for what each may do."
          options={givable.map((one) => ({ value: one as Role, label: one }))}
          value={role}
          onChange={setRole}
          {...fieldError(invite.error, "/role")}
        />
      </Form>
    </Dialog>
  );
}

function Invited({ invitation, onClose }: { readonly invitation: wire.NewInvitation; readonly onClose: () => void }) {
  return (
    <Dialog
      title={`An invitation for ${invitation.email}`}
      isOpen
      onClose={onClose}
      actions={<Button onPress={onClose}>Done</Button>}
    >
      <div className="flex flex-col gap-3">
        <p className="text-muted">Pass this link on to them. It works once, for 7 days.</p>
        <SecretOnce label="Invitation link" secret={invitation.invite_url} />
      </div>
    </Dialog>
  );
}
