import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { useAccess } from "../../../session/session.ts";
import { PortalPreviewButton } from "../../../shared/shared.ts";
import { Button, Card, Form, Link, TagInput, TextField, toastSuccess, trimmed, useWireForm } from "../../../ui/ui.ts";
import { LogoField } from "./logo-field.tsx";

/** The sites that may show the portal of the workspace's customers. */
export function PortalCard({ workspace }: { readonly workspace: wire.Workspace }) {
  const { portal_origins, portal_name, portal_logo } = workspace.settings;
  const access = useAccess();
  const update = useWrite("workspaces.update", { refreshes: ["workspaces."] });
  const form = useWireForm({ settings: { portal_origins, portal_name, portal_logo } }, update.error);
  const save = (): void =>
    update.mutate({ body: trimmed(form.value, ["/settings/portal_name"]) }, toastSuccess("Portal settings saved."));
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
          {...form.text("/settings/portal_name", null)}
        />
        <LogoField {...form.choice("/settings/portal_logo")} />
        <TagInput
          label="Sites that can show the portal"
          description="Origins such as https://app.example.com. Other sites cannot show it in a frame."
          placeholder="https://app.example.com"
          {...form.tags("/settings/portal_origins")}
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
