import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import { PortalPreviewButton } from "../../../shared/shared.ts";
import { Button, Card, fieldError, Form, TagInput, toast } from "../../../ui/ui.ts";

/** The sites that may show the portal of the workspace's customers. */
export function PortalCard({ workspace }: { readonly workspace: wire.Workspace }) {
  const [origins, setOrigins] = useState<readonly string[]>(workspace.settings.portal_origins);
  const access = useAccess();
  const update = useWrite("workspaces.update", { refreshes: ["workspaces."] });
  const save = (): void => {
    const settings = { portal_origins: [...origins] };
    update.mutate({ body: { settings } }, { onSuccess: () => toast("Portal settings saved.") });
  };
  return (
    <Card
      title="Customer portal"
      description="Your customers manage their own webhook endpoints in your product. Create sessions with POST /v1/portal-sessions."
    >
      <Form onSubmit={save} error={update.error} label="Customer portal">
        <TagInput
          label="Sites that can show the portal"
          description="Origins such as https://app.example.com. Other sites cannot show it in a frame."
          placeholder="https://app.example.com"
          values={origins}
          onChange={setOrigins}
          {...fieldError(update.error, "/settings/portal_origins")}
        />
        <div className="flex flex-wrap gap-2">
          <Button
            type="submit"
            variant="primary"
            isPending={update.isPending}
            isDisabled={!access.may("workspaces.update")}
          >
            Save sites
          </Button>
          <PortalPreviewButton />
        </div>
      </Form>
    </Card>
  );
}
