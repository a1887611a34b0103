import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import { Button, Card, ConfirmDialog, RelativeTime, toast, toastError } from "../../../ui/ui.ts";

/** Deleting the workspace, and taking that back while there is time. */
export function DangerCard({ workspace }: { readonly workspace: wire.Workspace }) {
  const [isAsked, setAsked] = useState(false);
  const access = useAccess();
  const remove = useWrite("workspaces.delete", { refreshes: ["workspaces."] });
  const restore = useWrite("workspaces.restore", { refreshes: ["workspaces."] });
  if (workspace.deletion_at !== null) {
    return (
      <Card title="This workspace will be deleted">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-bad">
            With everything in it, <RelativeTime at={workspace.deletion_at} />.
          </p>
          <Button
            variant="primary"
            isPending={restore.isPending}
            isDisabled={!access.may("workspaces.restore")}
            onPress={() => restore.mutate({}, { onSuccess: () => toast("The workspace stays."), onError: toastError })}
          >
            Keep it
          </Button>
        </div>
      </Card>
    );
  }
  return (
    <Card
      title="Delete this workspace"
      description="With everything in it, after seven days in which an owner can take it back."
    >
      <Button variant="danger" isDisabled={!access.may("workspaces.delete")} onPress={() => setAsked(true)}>
        Delete the workspace
      </Button>
      <ConfirmDialog
        title={`Delete ${workspace.name}?`}
        confirmLabel="Delete the workspace"
        typedName={workspace.name}
        isOpen={isAsked}
        isPending={remove.isPending}
        onClose={() => setAsked(false)}
        onConfirm={() =>
          remove.mutate(
            { body: { name: workspace.name } },
            {
              onSuccess: () => {
                toast("The workspace will be deleted in seven days.");
                setAsked(false);
              },
              onError: toastError,
            },
          )
        }
      >
        <p>Keys stop working at once. In seven days, events, contacts, the audit and everything else is gone.</p>
      </ConfirmDialog>
    </Card>
  );
}
