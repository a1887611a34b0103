import { PlugZap } from "lucide-react";
import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { Badge, Button, ConfirmDialog, RelativeTime, ResourceList, Table, toastOutcome } from "../../ui/ui.ts";

/** Lists the AI apps that members have connected by OAuth, and disconnects them. */
export function Screen() {
  const [chosen, choose] = useState<wire.ConnectedApp | null>(null);
  const end = useWrite("connected_apps.end", { refreshes: ["connected_apps."] });
  const disconnect = (id: string): void =>
    end.mutate(
      { path: { id } },
      toastOutcome("App disconnected.", () => choose(null)),
    );
  return (
    <>
      <ResourceList
        operation="connected_apps.list"
        title="Connected apps"
        description="AI apps that work in this environment in the name of a member. Owners and admins see those of all members."
        noun="connected apps"
        emptyTitle="No connected apps"
        icon={PlugZap}
        hint="Add Junction in an AI app with the address of this installation, followed by /mcp."
      >
        {(rows) => (
          <Table
            label="Connected apps"
            rows={rows}
            columns={[
              { header: "App", className: "w-full max-w-0", cell: (app) => <AppName app={app} /> },
              { header: "Member", from: "md", cell: (app) => <bdi>{app.member_name}</bdi> },
              { header: "Scopes", from: "lg", cell: (app) => app.scopes.join(", ") },
              {
                header: "Last used",
                from: "sm",
                cell: (app) => (app.last_used_at === null ? "never" : <RelativeTime at={app.last_used_at} />),
              },
              { header: "Expires", from: "sm", cell: (app) => <RelativeTime at={app.expires_at} /> },
              {
                header: "Actions",
                align: "end",
                cell: (app) => (
                  <Button size="sm" aria-label={`Disconnect ${app.client_name}`} onPress={() => choose(app)}>
                    Disconnect
                  </Button>
                ),
              },
            ]}
          />
        )}
      </ResourceList>
      <ConfirmDialog
        title={`Disconnect ${chosen?.client_name ?? "the app"}?`}
        confirmLabel="Disconnect app"
        isOpen={chosen !== null}
        isPending={end.isPending}
        onClose={() => choose(null)}
        onConfirm={() => (chosen === null ? undefined : disconnect(chosen.id))}
      >
        <p>The app&apos;s next request is refused. To use it again, connect it again from the app.</p>
      </ConfirmDialog>
    </>
  );
}

function AppName({ app }: { readonly app: wire.ConnectedApp }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <bdi className="truncate">{app.client_name}</bdi>
      {app.client_host === null ? <Badge tone="warn">not verified</Badge> : <code>{app.client_host}</code>}
    </span>
  );
}
