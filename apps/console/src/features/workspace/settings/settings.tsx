import { useQuery } from "@tanstack/react-query";
import { read } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import { InstallationCard } from "../../../shell/shell.ts";
import { Loaded, PageHeader, ShowAs } from "../../../ui/ui.ts";
import { AssistantCard } from "./assistant-card.tsx";
import { DangerCard } from "./danger-card.tsx";
import { PortalCard } from "./portal-card.tsx";
import { WorkspaceForm } from "./workspace-form.tsx";

export function Screen() {
  const workspace = useQuery(read("workspaces.get"));
  const access = useAccess();
  return (
    <>
      <PageHeader
        title="Settings"
        description="Settings of this workspace, for both environments."
        actions={<ShowAs operation="workspaces.get" input={{}} />}
      />
      {access.may("workspaces.update") ? null : (
        <p className="pb-3 text-sm text-muted">
          Only owners and admins can change these settings. Your role is {access.role}.
        </p>
      )}
      <Loaded query={workspace} label="Loading the settings">
        {(found) => (
          <div className="flex max-w-3xl flex-col gap-4">
            <WorkspaceForm key={found.name} workspace={found} />
            <PortalCard workspace={found} />
            <AssistantCard />
            <InstallationCard />
            <DangerCard workspace={found} />
          </div>
        )}
      </Loaded>
    </>
  );
}
