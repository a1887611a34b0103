import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Button,
  Card,
  ConfirmDialog,
  Dialog,
  fieldError,
  Form,
  SecretOnce,
  Switch,
  TextField,
  toast,
  toastError,
} from "../../ui/ui.ts";
import { SourceResponse } from "./source-response.tsx";
import { SourceScheme } from "./source-scheme.tsx";

const REFRESHES = ["inbound_endpoints."];
const OVERLAP_SECONDS = 86_400;

/** Name, whether it takes requests, its secret and its address, and the end of it. */
export function SourceSettings({ source }: { readonly source: wire.InboundEndpoint }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <General source={source} />
      <Credentials source={source} />
      <SourceResponse source={source} />
      {source.scheme === null ? null : <SourceScheme source={source} />}
      <Deletion source={source} />
    </div>
  );
}

interface PartProps {
  readonly source: wire.InboundEndpoint;
}

function General({ source }: PartProps) {
  const [name, setName] = useState(source.name);
  const [description, setDescription] = useState(source.description);
  const [active, setActive] = useState(source.active);
  const access = useAccess();
  const save = useWrite("inbound_endpoints.update", { refreshes: REFRESHES });
  return (
    <Card title="General">
      <Form
        label="General"
        error={save.error}
        onSubmit={() =>
          save.mutate(
            { path: { id: source.id }, body: { name, description, active } },
            { onSuccess: () => toast("Source saved.") },
          )
        }
      >
        <TextField label="Name" isRequired value={name} onChange={setName} {...fieldError(save.error, "/name")} />
        <TextField
          label="Description"
          lines={2}
          value={description}
          onChange={setDescription}
          {...fieldError(save.error, "/description")}
        />
        <Switch isSelected={active} onChange={setActive}>
          Accept requests
        </Switch>
        <div>
          <Button
            type="submit"
            variant="primary"
            isPending={save.isPending}
            isDisabled={!access.may("inbound_endpoints.update")}
          >
            Save settings
          </Button>
        </div>
      </Form>
    </Card>
  );
}

function Credentials({ source }: PartProps) {
  const [asks, setAsks] = useState<"secret" | "token">();
  const access = useAccess();
  const secret = useWrite("inbound_endpoints.secret.regenerate", { refreshes: REFRESHES });
  const token = useWrite("inbound_endpoints.token.regenerate", { refreshes: REFRESHES });
  const close = (): void => setAsks(undefined);
  return (
    <Card
      title="Secret and URL"
      description="When you regenerate the secret, the previous secret stays valid for 24 hours, so that no request is rejected."
    >
      <div className="flex flex-wrap gap-2">
        <Button isDisabled={!access.may("inbound_endpoints.secret.regenerate")} onPress={() => setAsks("secret")}>
          Regenerate secret
        </Button>
        <Button isDisabled={!access.may("inbound_endpoints.token.regenerate")} onPress={() => setAsks("token")}>
          Regenerate URL
        </Button>
      </div>
      <ConfirmDialog
        title="Regenerate secret"
        isOpen={asks === "secret"}
        onClose={close}
        confirmLabel="Regenerate secret"
        isDangerous={false}
        isPending={secret.isPending}
        onConfirm={() =>
          secret.mutate(
            { path: { id: source.id }, body: { overlap_seconds: OVERLAP_SECONDS } },
            { onError: toastError, onSettled: close },
          )
        }
      >
        <p>The current secret stays valid for 24 hours. Store the new secret in the sender within that time.</p>
      </ConfirmDialog>
      <ConfirmDialog
        title="Regenerate URL"
        isOpen={asks === "token"}
        onClose={close}
        confirmLabel="Regenerate URL"
        isPending={token.isPending}
        onConfirm={() =>
          token.mutate(
            { path: { id: source.id } },
            { onSuccess: () => toast("New URL created."), onError: toastError, onSettled: close },
          )
        }
      >
        <p>Requests to the current URL are rejected immediately.</p>
      </ConfirmDialog>
      {secret.data === undefined ? null : (
        <Dialog title="New secret" size="sm" isOpen onClose={secret.reset}>
          <SecretOnce label="Signing secret" secret={secret.data.secret} />
        </Dialog>
      )}
    </Card>
  );
}

function Deletion({ source }: PartProps) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const access = useAccess();
  const remove = useWrite("inbound_endpoints.delete", { refreshes: REFRESHES });
  return (
    <Card title="Delete" description="Receipts and activities are kept.">
      <Button variant="danger" isDisabled={!access.may("inbound_endpoints.delete")} onPress={() => setAsking(true)}>
        Delete source
      </Button>
      <ConfirmDialog
        title={`Delete ${source.name}`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirmLabel="Delete source"
        typedName={source.name}
        isPending={remove.isPending}
        onConfirm={() =>
          remove.mutate(
            { path: { id: source.id } },
            {
              onSuccess: () => void navigate({ to: paths.sources, ignoreBlocker: true }),
              onError: toastError,
              onSettled: () => setAsking(false),
            },
          )
        }
      >
        <p>Requests to the source's URL are rejected. This can't be undone.</p>
      </ConfirmDialog>
    </Card>
  );
}
