import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useWrite } from "../../api/api.ts";
import { Button, fieldError, FormDialog, Loaded, RadioGroup, ShowAs, TextField } from "../../ui/ui.ts";
import { SecretField } from "./secret-field.tsx";
import { SenderGallery } from "./sender-gallery.tsx";
import type { Origin } from "./sender-gallery.tsx";
import { SourceCreated } from "./source-created.tsx";

/** Creates a source in two steps: the sender, which brings signature and mapping, and then name and secret. */
export function CreateSourceDialog({ onClose }: { readonly onClose: () => void }) {
  const [origin, setOrigin] = useState<Origin>();
  if (origin === undefined) return <SenderGallery onChoose={setOrigin} onClose={onClose} />;
  return <SourceForm origin={origin} onBack={() => setOrigin(undefined)} onClose={onClose} />;
}

interface SourceFormProps {
  readonly origin: Origin;
  readonly onBack: () => void;
  readonly onClose: () => void;
}

function SourceForm({ origin, onBack, onClose }: SourceFormProps) {
  const sender = origin === "other" ? null : origin;
  const [name, setName] = useState(sender?.title ?? "");
  const [preset, setPreset] = useState<string>("custom");
  const [secret, setSecret] = useState("");
  const create = useWrite("inbound_endpoints.create", { refreshes: ["inbound_endpoints."] });
  if (create.data !== undefined) {
    return <SourceCreated made={create.data} sender={sender} isSecretKnown={secret !== ""} onClose={onClose} />;
  }
  const start = sender === null ? { preset } : { sender: sender.key };
  const body = { name, ...start, ...(secret === "" ? {} : { secret }) };
  return (
    <FormDialog
      title={sender === null ? "Create source" : `Create source for ${sender.title}`}
      onClose={onClose}
      code={<ShowAs operation="inbound_endpoints.create" input={{ body }} />}
      submitLabel="Create source"
      write={create}
      onSubmit={() => create.mutate({ body })}
    >
      <div className="flex items-start justify-between gap-3">
        <p className="text-muted">{sender?.description ?? "A system that is not in the list of senders."}</p>
        <Button size="sm" variant="quiet" onPress={onBack}>
          Change sender
        </Button>
      </div>
      <TextField
        label="Name"
        isRequired
        autoFocus
        maxLength={100}
        value={name}
        onChange={setName}
        {...fieldError(create.error, "/name")}
      />
      {sender === null ? <Presets value={preset} onChange={setPreset} error={create.error} /> : null}
      <SecretField
        sender={sender}
        value={secret}
        onChange={setSecret}
        error={fieldError(create.error, "/secret").error}
      />
    </FormDialog>
  );
}

interface PresetsProps {
  readonly value: string;
  readonly onChange: (preset: string) => void;
  readonly error: unknown;
}

function Presets({ value, onChange, error }: PresetsProps) {
  const presets = useQuery({ ...read("inbound_presets.list"), staleTime: Infinity });
  return (
    <Loaded query={presets} label="Loading the presets">
      {({ data }) => (
        <RadioGroup
          label="Preset"
          options={data.map((one) => ({ value: one.key, label: one.name, detail: one.description }))}
          value={value}
          onChange={onChange}
          {...fieldError(error, "/preset")}
        />
      )}
    </Loaded>
  );
}
