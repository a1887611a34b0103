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
            The workspace and all of its data will be deleted <RelativeTime at={workspace.deletion_at} />.
          </p>
          <Button
            variant="primary"
            isPending={restore.isPending}
            isDisabled={!access.may("workspaces.restore")}
            onPress={() => restore.mutate({}, { onSuccess: () => toast("Deletion cancelled."), onError: toastError })}
          >
            Keep workspace
          </Button>
        </div>
      </Card>
    );
  }
  return (
    <Card
      title="Delete workspace"
      description="Deletes the workspace and all of its data after seven days. Until then, an owner can cancel the deletion."
    >
      <Button variant="danger" isDisabled={!access.may("workspaces.delete")} onPress={() => setAsked(true)}>
        Delete workspace
      </Button>
      <ConfirmDialog
        title={`Delete ${workspace.name}?`}
        confirmLabel="Delete workspace"
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
        <p>
          Keys stop working immediately. After seven days, all data is deleted, including events, contacts and the audit
          log.
        </p>
      </ConfirmDialog>
    </Card>
  );
}
