import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import { Button, Card, ConfirmButton, RelativeTime, toastOutcome } from "../../../ui/ui.ts";

/** Deleting the workspace, and taking that back while there is time. */
export function DangerCard({ workspace }: { readonly workspace: wire.Workspace }) {
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
            onPress={() => restore.mutate({}, toastOutcome("Deletion cancelled."))}
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
      <ConfirmButton
        label="Delete workspace"
        isDisabled={!access.may("workspaces.delete")}
        title={`Delete ${workspace.name}?`}
        typedName={workspace.name}
        isPending={remove.isPending}
        onConfirm={(close) =>
          remove.mutate(
            { body: { name: workspace.name } },
            toastOutcome("The workspace will be deleted in seven days.", close),
          )
        }
      >
        <p>
          Keys stop working immediately. After seven days, all data is deleted, including events, contacts and the audit
          log.
        </p>
      </ConfirmButton>
    </Card>
  );
}
