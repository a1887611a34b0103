import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { fieldMessage, outsideFields, pretty, readObject } from "../../shared/shared.ts";
import { Checkbox, FormDialog, Select, ShowAs, TextField } from "../../ui/ui.ts";

export const ENFORCEMENTS = [
  { value: "off", label: "Accept" },
  { value: "warn", label: "Accept and show errors" },
  { value: "refuse", label: "Refuse" },
] as const;
type Enforcement = (typeof ENFORCEMENTS)[number]["value"];

interface TypeDialogProps {
  /** The type to change. Without it, a type is created. */
  readonly type?: wire.EventType;
  readonly onClose: () => void;
}

const REFRESHES = { refreshes: ["event_types."] };
const POINTERS = ["/name", "/title", "/schema"];

/** Creates or changes an event type. Of a canonical type, only the enforcement can change. */
export function TypeDialog({ type, onClose }: TypeDialogProps) {
  const form = useTypeForm(type, onClose);
  const { error, isCanonical } = form;
  const isNew = type === undefined;
  return (
    <FormDialog
      title={isNew ? "Create event type" : "Edit event type"}
      onClose={onClose}
      code={<Code name={form.name} body={form.body} isNew={isNew} />}
      submitLabel={isNew ? "Create event type" : "Save"}
      write={form}
      isDisabled={!isCanonical && form.schema === undefined}
      judge="service"
      error={outsideFields(error, POINTERS)}
      onSubmit={form.submit}
    >
      {isNew ? (
        <TextField
          label="Name"
          description="The name of the events, such as parcel.scanned."
          mono
          isRequired
          value={form.name}
          onChange={form.setName}
          error={fieldMessage(error, "/name")}
        />
      ) : null}
      {isCanonical ? null : <DataFields form={form} />}
      {isNew || isCanonical ? null : (
        <Checkbox isSelected={form.isNewVersion} onChange={form.setNewVersion}>
          Make a new version with this schema
        </Checkbox>
      )}
      <Select
        label="Data that does not match"
        description="Events of sources, rules, workflows and connectors are never refused."
        options={ENFORCEMENTS}
        value={form.enforcement}
        onChange={form.setEnforcement}
      />
    </FormDialog>
  );
}

type TypeForm = ReturnType<typeof useTypeForm>;

function DataFields({ form }: { readonly form: TypeForm }) {
  const { error, schema } = form;
  return (
    <>
      <TextField label="Title" value={form.title} onChange={form.setTitle} error={fieldMessage(error, "/title")} />
      <TextField
        label="JSON Schema"
        description="Describes the data. JSON Schema 2020-12."
        mono
        lines={12}
        spellCheck="false"
        value={form.text}
        onChange={form.setText}
        error={schema === undefined ? "Enter a valid JSON object." : fieldMessage(error, "/schema")}
      />
    </>
  );
}

interface CodeProps {
  readonly name: string;
  readonly body: wire.EventTypePatch;
  readonly isNew: boolean;
}

function Code({ name, body, isNew }: CodeProps) {
  return isNew ? (
    <ShowAs operation="event_types.create" input={{ body: { name, ...body } }} />
  ) : (
    <ShowAs operation="event_types.update" input={{ path: { name }, body }} />
  );
}

function useTypeForm(type: wire.EventType | undefined, onDone: () => void) {
  const written = pretty(type?.schema ?? { type: "object", properties: {} });
  const [name, setName] = useState(type?.name ?? "");
  const [title, setTitle] = useState(type?.title ?? "");
  const [text, setText] = useState(written);
  const [enforcement, setEnforcement] = useState<Enforcement>(enforcementOf(type));
  const [isNewVersion, setNewVersion] = useState(false);
  const create = useWrite("event_types.create", REFRESHES);
  const update = useWrite("event_types.update", REFRESHES);
  const version = useWrite("event_types.versions.create", REFRESHES);
  const schema = readObject(text);
  const data = schema === undefined ? {} : { schema };
  const isCanonical = type?.canonical === true;
  // An unchanged schema is not sent, because its numbers could have more digits than a browser keeps.
  const described = { title, enforcement, ...(type === undefined || text !== written ? data : {}) };
  const body = isCanonical ? { enforcement } : described;
  const ended = { onSuccess: onDone };
  function submit(): void {
    if (type === undefined) create.mutate({ body: { name, ...body } }, ended);
    else if (isNewVersion) version.mutate({ path: { name }, body: data }, ended);
    else update.mutate({ path: { name }, body }, ended);
  }
  return {
    name,
    setName,
    title,
    setTitle,
    text,
    setText,
    enforcement,
    setEnforcement,
    isNewVersion,
    setNewVersion,
    schema,
    body,
    isCanonical,
    submit,
    isPending: [create, update, version].some((write) => write.isPending),
    error: version.error ?? update.error ?? create.error,
  };
}

function enforcementOf(type: wire.EventType | undefined): Enforcement {
  return ENFORCEMENTS.find(({ value }) => value === type?.enforcement)?.value ?? "off";
}
