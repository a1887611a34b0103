import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { Button, Dialog, FormDialog, labelOf, SecretOnce, Select, TextField, useWireForm } from "../../../ui/ui.ts";
import { useGivableRoles } from "./member-dialog.tsx";

/** Creates an invitation. The inviter passes its link on, because the service sends no e-mail. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const givable = useGivableRoles();
  const invite = useWrite("members.invitations.create", { refreshes: ["members."] });
  const form = useWireForm<wire.InvitationRequest>({ email: "", role: "developer" }, invite.error);
  if (invite.data !== undefined) return <NewLink invitation={invite.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Invite member"
      size="sm"
      onClose={onClose}
      submitLabel="Create invitation"
      write={invite}
      onSubmit={() => invite.mutate({ body: form.value })}
    >
      <TextField label="E-mail" type="email" isRequired autoFocus {...form.text("/email")} />
      <Select
        label="Role"
        description="The Roles tab lists the permissions of each role."
        options={givable.map((one) => ({ value: one, label: labelOf(one) }))}
        {...form.text("/role")}
      />
    </FormDialog>
  );
}

function NewLink({ invitation, onClose }: { readonly invitation: wire.NewInvitation; readonly onClose: () => void }) {
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
