import { Check, ChevronsUpDown } from "lucide-react";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { useSession } from "../session/session.ts";

/** Names the workspace; with more than one, switches between them. */
export function WorkspaceSwitch() {
  const { workspace, workspaces, switchWorkspace } = useSession();
  if (workspaces.length < 2) {
    return (
      <p className="truncate rounded-md border border-line bg-surface px-2.5 py-1.5 text-base font-medium">
        {workspace.name}
      </p>
    );
  }
  return (
    <MenuTrigger>
      <Button className="flex w-full items-center justify-between gap-2 rounded-md border border-line bg-surface px-2.5 py-1.5 text-left text-base font-medium data-[hovered]:bg-hover">
        <span className="truncate">{workspace.name}</span>
        <ChevronsUpDown aria-hidden size={14} className="shrink-0 text-muted" />
      </Button>
      <Popover className="anim-pop w-(--trigger-width) rounded-lg bg-raised shadow-pop">
        <Menu aria-label="Workspaces" className="max-h-80 overflow-auto p-1 outline-none">
          {workspaces.map((one) => (
            <MenuItem
              key={one.workspace_id}
              id={one.workspace_id}
              textValue={one.name}
              onAction={() => switchWorkspace(one.workspace_id)}
              className="flex items-center justify-between gap-2 rounded-md px-2 py-1.5 outline-none data-[focused]:bg-hover"
            >
              <span className="flex min-w-0 flex-col">
                <span className="truncate">{one.name}</span>
                <span className="text-xs text-muted">{one.role}</span>
              </span>
              {one.workspace_id === workspace.workspace_id ? (
                <Check aria-hidden size={15} className="text-accent" />
              ) : null}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
