import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { Button, Dialog, fieldError, FormDialog, labelOf, SecretOnce, Select, TextField } from "../../../ui/ui.ts";
import { useGivableRoles } from "./member-dialog.tsx";

type Role = wire.InvitationRequest["role"];

/** Creates an invitation. The inviter passes its link on, because the service sends no e-mail. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("developer");
  const givable = useGivableRoles();
  const invite = useWrite("members.invitations.create", { refreshes: ["members."] });
  if (invite.data !== undefined) return <Invited invitation={invite.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Invite member"
      size="sm"
      onClose={onClose}
      submitLabel="Create invitation"
      write={invite}
      onSubmit={() => invite.mutate({ body: { email, role } })}
    >
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
        description="The Roles tab lists the permissions of each role."
        options={givable.map((one) => ({ value: one as Role, label: labelOf(one) }))}
        value={role}
        onChange={setRole}
        {...fieldError(invite.error, "/role")}
      />
    </FormDialog>
  );
}

function Invited({ invitation, onClose }: { readonly invitation: wire.NewInvitation; readonly onClose: () => void }) {
  return (
    <Dialog
      title={`Invitation for ${invitation.email}`}
      isOpen
      onClose={onClose}
      actions={<Button onPress={onClose}>Done</Button>}
    >
      <div className="flex flex-col gap-3">
        <p className="text-muted">Send this link to the person. The link works once and expires after 7 days.</p>
        <SecretOnce label="Invitation link" secret={invitation.invite_url} />
      </div>
    </Dialog>
  );
}
