import { useNavigate } from "@tanstack/react-router";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Card,
  ConfirmButton,
  Form,
  Switch,
  TextField,
  toastError,
  toastSuccess,
  trimmed,
  useWireForm,
} from "../../ui/ui.ts";
import { SourceCredentials } from "./source-credentials.tsx";
import { SourceHandshakes } from "./source-handshakes.tsx";
import { SourceResponse } from "./source-response.tsx";
import { SourceSignature } from "./source-signature.tsx";
import { SaveSource } from "./save-source.tsx";

const REFRESHES = ["inbound_endpoints."];

/** Shows the settings of a source that are not part of its mapping. */
export function SourceSettings({ source }: { readonly source: wire.InboundEndpoint }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <General source={source} />
      <SourceCredentials source={source} />
      <SourceSignature source={source} />
      <SourceResponse source={source} />
      <SourceHandshakes source={source} />
      <Deletion source={source} />
    </div>
  );
}

interface PartProps {
  readonly source: wire.InboundEndpoint;
}

function General({ source }: PartProps) {
  const { name, description, active, charset } = source;
  const save = useWrite("inbound_endpoints.update", { refreshes: REFRESHES });
  const form = useWireForm({ name, description, active, charset }, save.error);
  return (
    <Card title="General">
      <Form
        guardsEdits
        label="General"
        error={save.error}
        onSubmit={() =>
          save.mutate(
            { path: { id: source.id }, body: trimmed(form.value, ["/charset"]) },
            toastSuccess("Source saved."),
          )
        }
      >
        <TextField label="Name" isRequired {...form.text("/name")} />
        <TextField label="Description" lines={2} {...form.text("/description")} />
        <TextField
          label="Character set"
          description="Of requests that name none, such as windows-1252. Default: UTF-8."
          {...form.text("/charset", null)}
        />
        <Switch {...form.flag("/active")}>Accept requests</Switch>
        <SaveSource isPending={save.isPending}>Save settings</SaveSource>
      </Form>
    </Card>
  );
}

function Deletion({ source }: PartProps) {
  const navigate = useNavigate();
  const access = useAccess();
  const remove = useWrite("inbound_endpoints.delete", { refreshes: REFRESHES });
  return (
    <Card title="Delete" description="Receipts and activities are kept.">
      <ConfirmButton
        label="Delete source"
        isDisabled={!access.may("inbound_endpoints.delete")}
        title={`Delete ${source.name}`}
        typedName={source.name}
        isPending={remove.isPending}
        onConfirm={(close) =>
          remove.mutate(
            { path: { id: source.id } },
            {
              onSuccess: () => void navigate({ to: paths.sources, ignoreBlocker: true }),
              onError: toastError,
              onSettled: close,
            },
          )
        }
      >
        <p>Requests to the source's URL are rejected. This can't be undone.</p>
      </ConfirmButton>
    </Card>
  );
}
