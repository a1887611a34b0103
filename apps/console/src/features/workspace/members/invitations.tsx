import { MailOpen } from "lucide-react";
import { usePages, useWrite } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import {
  Badge,
  Button,
  Card,
  EmptyState,
  labelOf,
  LoadedPages,
  RelativeTime,
  Table,
  toastOutcome,
} from "../../../ui/ui.ts";

export function Invitations({ onInvite }: { readonly onInvite: () => void }) {
  const invitations = usePages("members.invitations.list");
  const revoke = useWrite("members.invitations.revoke", { refreshes: ["members."] });
  const access = useAccess();
  return (
    <Card flush>
      <LoadedPages
        pages={invitations}
        label="Loading the invitations"
        empty={
          <EmptyState
            title="No open invitations"
            icon={<MailOpen aria-hidden size={20} />}
            action={
              <Button isDisabled={!access.may("members.invitations.create")} onPress={onInvite}>
                Invite member
              </Button>
            }
          >
            Invitations are listed here until they are accepted or withdrawn, or expire after 7 days.
          </EmptyState>
        }
      >
        {(rows) => (
          <Table
            label="Invitations"
            rows={rows}
            columns={[
              { header: "E-mail", cell: (row) => row.email },
              { header: "Role", cell: (row) => <Badge>{labelOf(row.role)}</Badge> },
              { header: "Expires", cell: (row) => <RelativeTime at={row.expires_at} /> },
              {
                header: "Actions",
                align: "end",
                cell: (row) => (
                  <Button
                    size="sm"
                    isDisabled={!access.may("members.invitations.revoke")}
                    aria-label={`Withdraw the invitation for ${row.email}`}
                    onPress={() => revoke.mutate({ path: { id: row.id } }, toastOutcome("Invitation withdrawn."))}
                  >
                    Withdraw
                  </Button>
                ),
              },
            ]}
          />
        )}
      </LoadedPages>
    </Card>
  );
}
