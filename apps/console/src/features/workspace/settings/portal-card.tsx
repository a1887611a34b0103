import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { useAccess } from "../../../session/session.ts";
import { PortalPreviewButton } from "../../../shared/shared.ts";
import { Button, Card, fieldError, Form, Link, TagInput, TextField, toastSuccess } from "../../../ui/ui.ts";
import { LogoField } from "./logo-field.tsx";

/** The sites that may show the portal of the workspace's customers. */
export function PortalCard({ workspace }: { readonly workspace: wire.Workspace }) {
  const [origins, setOrigins] = useState<readonly string[]>(workspace.settings.portal_origins);
  const [name, setName] = useState(workspace.settings.portal_name ?? "");
  const [logo, setLogo] = useState(workspace.settings.portal_logo);
  const access = useAccess();
  const update = useWrite("workspaces.update", { refreshes: ["workspaces."] });
  const save = (): void => {
    const settings = {
      portal_origins: [...origins],
      portal_name: name.trim() === "" ? null : name.trim(),
      portal_logo: logo,
    };
    update.mutate({ body: { settings } }, toastSuccess("Portal settings saved."));
  };
  return (
    <Card
      title="Customer portal"
      description="Your customers manage their own webhook endpoints in your product. Create sessions with POST /v1/portal-sessions."
    >
      <Form guardsEdits onSubmit={save} error={update.error} label="Customer portal">
        <TextField
          label="Title in the portal"
          description="The name of your product, at the top of the page."
          isRequired={false}
          value={name}
          onChange={setName}
          {...fieldError(update.error, "/settings/portal_name")}
        />
        <LogoField logo={logo} onChange={setLogo} {...fieldError(update.error, "/settings/portal_logo")} />
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
            Save portal
          </Button>
          <PortalPreviewButton />
          <Link to={`${paths.eventTypes}?view=customers`} look="button">
            Event types for customers
          </Link>
        </div>
      </Form>
    </Card>
  );
}
