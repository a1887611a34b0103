import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import {
  Button,
  CopyButton,
  Dialog,
  fieldError,
  FormDialog,
  KeyValue,
  Link,
  Loaded,
  RadioGroup,
  SecretOnce,
  ShowAs,
  TextField,
} from "../../ui/ui.ts";

/** A name and where it comes from; the preset brings signature and mapping, which can be changed later. */
export function CreateSourceDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [preset, setPreset] = useState<string>("custom");
  const [secret, setSecret] = useState("");
  const presets = useQuery({ ...read("inbound_presets.list"), staleTime: Infinity });
  const create = useWrite("inbound_endpoints.create", { refreshes: ["inbound_endpoints."] });
  if (create.data !== undefined) return <CreatedDialog made={create.data} onClose={onClose} />;
  const body = { name, preset, ...(secret === "" ? {} : { secret }) };
  return (
    <FormDialog
      title="Create source"
      onClose={onClose}
      code={<ShowAs operation="inbound_endpoints.create" input={{ body }} />}
      submitLabel="Create source"
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate({ body })}
    >
      <TextField
        label="Name"
        isRequired
        autoFocus
        maxLength={100}
        value={name}
        onChange={setName}
        {...fieldError(create.error, "/name")}
      />
      <Loaded query={presets} label="Loading the presets">
        {({ data }) => (
          <RadioGroup
            label="Preset"
            options={data.map((one) => ({ value: one.key, label: one.name, detail: one.description }))}
            value={preset}
            onChange={setPreset}
            {...fieldError(create.error, "/preset")}
          />
        )}
      </Loaded>
      <TextField
        label="Secret"
        description="Enter the secret that the sender gave you. Leave empty to generate a secret."
        type="password"
        autoComplete="off"
        value={secret}
        onChange={setSecret}
        {...fieldError(create.error, "/secret")}
      />
    </FormDialog>
  );
}

function CreatedDialog({
  made,
  onClose,
}: {
  readonly made: wire.InboundEndpointWithSecret;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title="Source created"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          <Link to={paths.source(made.id)} look="primary">
            Open source
          </Link>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <KeyValue
          rows={[
            {
              label: "URL",
              value: (
                <span className="inline-flex max-w-full items-start gap-1">
                  <code className="text-sm break-all">{made.url}</code>
                  <CopyButton text={made.url} label="Copy URL" />
                </span>
              ),
            },
          ]}
        />
        <SecretOnce label="Signing secret" secret={made.secret} />
      </div>
    </Dialog>
  );
}
