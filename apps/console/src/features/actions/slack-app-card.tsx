import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isProblem, read, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  Card,
  CodeBlock,
  ConfirmDialog,
  FormDialog,
  TextField,
  toastOutcome,
  toastSuccess,
  useWireForm,
} from "../../ui/ui.ts";

/** The Slack app of this environment. Its secrets are never shown. */
export function SlackAppCard() {
  const app = useQuery(read("slack_app.get"));
  const [isEditing, setEditing] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const access = useAccess();
  const isMissing = isProblem(app.error, "not_found");
  if (app.isPending || (app.isError && !isMissing)) return null;
  return (
    <div className="pb-4">
      <Card
        title="Slack app"
        description={
          isMissing
            ? "Create an app in Slack with the scope chat:write, install it, and enter its values here."
            : `Installed in the Slack workspace ${app.data?.team_id ?? ""}.`
        }
        actions={
          <>
            {isMissing ? null : (
              <Button size="sm" isDisabled={!access.may("slack_app.delete")} onPress={() => setRemoving(true)}>
                Delete app
              </Button>
            )}
            <Button size="sm" isDisabled={!access.may("slack_app.put")} onPress={() => setEditing(true)}>
              {isMissing ? "Set app" : "Replace app"}
            </Button>
          </>
        }
      >
        {app.data === undefined || isMissing ? null : <RequestUrl app={app.data} />}
      </Card>
      {isEditing ? <SlackAppDialog onClose={() => setEditing(false)} /> : null}
      {isRemoving ? <RemoveDialog onClose={() => setRemoving(false)} /> : null}
    </div>
  );
}

function RequestUrl({ app }: { readonly app: wire.SlackApp }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm text-muted">
        Enter this request URL in Slack under “Interactivity & Shortcuts”. It must be reachable from the internet.
      </p>
      <CodeBlock label="Request URL" text={app.request_url} />
    </div>
  );
}

function SlackAppDialog({ onClose }: { readonly onClose: () => void }) {
  const put = useWrite("slack_app.put", { refreshes: ["slack_app.", "slack_links."] });
  const form = useWireForm({ team_id: "", signing_secret: "", bot_token: "" }, put.error);
  const save = (): void => put.mutate({ body: form.value }, toastSuccess("Slack app saved.", onClose));
  return (
    <FormDialog title="Slack app" onClose={onClose} submitLabel="Save app" write={put} judge="service" onSubmit={save}>
      <TextField
        label="Slack workspace ID"
        description="Begins with T, in the address of the Slack workspace."
        mono
        {...form.text("/team_id")}
      />
      <TextField
        label="Signing secret"
        description="From “Basic Information”. Anyone who knows it can make up decisions of linked members. With another one, members link their accounts again."
        type="password"
        autoComplete="off"
        {...form.text("/signing_secret")}
      />
      <TextField
        label="Token (xoxb-…)"
        description="From “OAuth & Permissions”, with the scope chat:write."
        type="password"
        autoComplete="off"
        {...form.text("/bot_token")}
      />
    </FormDialog>
  );
}

function RemoveDialog({ onClose }: { readonly onClose: () => void }) {
  const remove = useWrite("slack_app.delete", { refreshes: ["slack_app.", "slack_links."] });
  return (
    <ConfirmDialog
      title="Delete the Slack app?"
      confirmLabel="Delete app"
      isOpen
      isPending={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({}, toastOutcome("Slack app deleted.", onClose))}
    >
      <p>All linked accounts end, and the buttons of earlier messages no longer decide anything.</p>
    </ConfirmDialog>
  );
}
