import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useAccess, useSession } from "../../../session/session.ts";
import { Badge, ConfirmDialog, labelOf, Menu, StatusLight, Table, toastOutcome } from "../../../ui/ui.ts";
import type { MenuAction } from "../../../ui/ui.ts";
import { MemberDialog } from "./member-dialog.tsx";
import { ResetLinkDialog } from "./reset-link-dialog.tsx";

type OpenDialog = { readonly what: "change" | "remove" | "reset"; readonly member: wire.Member } | null;

export function MemberTable({ members }: { readonly members: readonly wire.Member[] }) {
  const { member: self } = useSession();
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const actionsOf = useActions(setDialog);
  return (
    <>
      <Table
        label="Members"
        rows={members}
        columns={[
          {
            header: "Name",
            cell: (member) => (
              <span className="flex flex-col">
                <span className="flex items-center gap-2 font-medium">
                  {member.name} {member.id === self.id ? <Badge>You</Badge> : null}
                </span>
                <span className="text-muted">{member.email}</span>
              </span>
            ),
          },
          {
            header: "Role",
            cell: (member) => <Badge tone={member.role === "owner" ? "info" : "neutral"}>{labelOf(member.role)}</Badge>,
          },
          { header: "Operator permissions", from: "md", cell: permissionsOf },
          {
            header: "Two-factor",
            from: "sm",
            cell: (member) => (
              <StatusLight tone={hasSecondFactor(member) ? "good" : "neutral"}>
                {hasSecondFactor(member) ? "On" : "Off"}
              </StatusLight>
            ),
          },
          {
            header: "Actions",
            align: "end",
            cell: (member) => <Menu label={`Actions for ${member.name}`} actions={actionsOf(member)} />,
          },
        ]}
      />
      {dialog?.what === "change" ? <MemberDialog member={dialog.member} onClose={() => setDialog(null)} /> : null}
      {dialog?.what === "reset" ? <ResetLinkDialog member={dialog.member} onClose={() => setDialog(null)} /> : null}
      {dialog?.what === "remove" ? <RemoveDialog member={dialog.member} onClose={() => setDialog(null)} /> : null}
    </>
  );
}

/** An owner has every permission without being given one. */
function permissionsOf({ role, permissions }: wire.Member) {
  if (role === "owner") return "All";
  return permissions.length === 0 ? <span className="text-faint">None</span> : permissions.join(", ");
}

function useActions(ask: (dialog: OpenDialog) => void): (member: wire.Member) => MenuAction[] {
  const access = useAccess();
  return (member) => [
    {
      id: "change",
      label: "Change role",
      isDisabled: !access.may("members.update"),
      onAction: () => ask({ what: "change", member }),
    },
    {
      id: "reset",
      label: "Create password link",
      isDisabled: !access.may("members.reset_link"),
      onAction: () => ask({ what: "reset", member }),
    },
    {
      id: "remove",
      label: "Remove member",
      isDangerous: true,
      isDisabled: !access.may("members.remove"),
      onAction: () => ask({ what: "remove", member }),
    },
  ];
}

function RemoveDialog({ member, onClose }: { readonly member: wire.Member; readonly onClose: () => void }) {
  const remove = useWrite("members.remove", { refreshes: ["members."] });
  return (
    <ConfirmDialog
      title={`Remove ${member.name}?`}
      confirmLabel="Remove member"
      isOpen
      isPending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ path: { id: member.id } }, toastOutcome(`${member.name} removed.`, onClose))}
    >
      <p>
        The member's sessions end, and keys that act as the member stop working. The audit log keeps the member's past
        actions.
      </p>
    </ConfirmDialog>
  );
}

function hasSecondFactor({ totp_active: hasApp, passkey_active: hasPasskey }: wire.Member): boolean {
  return hasApp || hasPasskey;
}
