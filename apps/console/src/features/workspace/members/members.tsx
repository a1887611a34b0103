import { UserPlus } from "lucide-react";
import { useState } from "react";
import { usePages } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import { Button, Card, EmptyState, LoadedPages, PageHeader, ShowAs, Tabs, useUrlState } from "../../../ui/ui.ts";
import { Invitations } from "./invitations.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { MemberTable } from "./member-table.tsx";
import { RoleMatrix } from "./role-matrix.tsx";

export function Screen() {
  const [tab, setTab] = useUrlState("tab", "people");
  const [isInviting, setInviting] = useState(false);
  const access = useAccess();
  const mayInvite = access.may("members.invitations.create");
  return (
    <>
      <PageHeader
        title="Members"
        description="People in this workspace, and the permissions of each role. Members have access to both environments."
        actions={
          <>
            <ShowAs operation="members.list" input={{}} />
            <Button
              variant="primary"
              icon={<UserPlus aria-hidden size={15} />}
              isDisabled={!mayInvite}
              onPress={() => setInviting(true)}
            >
              Invite member
            </Button>
          </>
        }
      />
      {mayInvite ? null : (
        <p className="pb-3 text-sm text-muted">
          Only owners and admins can invite members. Your role is {access.role}.
        </p>
      )}
      <Tabs
        label="Members"
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: "people", label: "People", content: <People onInvite={() => setInviting(true)} /> },
          { id: "invitations", label: "Invitations", content: <Invitations onInvite={() => setInviting(true)} /> },
          { id: "roles", label: "Roles", content: <RoleMatrix /> },
        ]}
      />
      {isInviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
    </>
  );
}

function People({ onInvite }: { readonly onInvite: () => void }) {
  const members = usePages("members.list");
  return (
    <Card flush>
      <LoadedPages
        pages={members}
        label="Loading the members"
        empty={<EmptyState title="No members yet" action={<Button onPress={onInvite}>Invite member</Button>} />}
      >
        {(rows) => <MemberTable members={rows} />}
      </LoadedPages>
    </Card>
  );
}
