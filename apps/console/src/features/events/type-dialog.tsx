import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { fieldMessage, outsideFields, pretty, readObject } from "../../shared/shared.ts";
import { Checkbox, FormDialog, Select, ShowAs, TextField, useWireForm } from "../../ui/ui.ts";

export const ENFORCEMENTS = [
  { value: "off", label: "Accept" },
  { value: "warn", label: "Accept and show errors" },
  { value: "refuse", label: "Refuse" },
] as const;

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
  const { fields, isCanonical } = form;
  const isNew = type === undefined;
  return (
    <FormDialog
      title={isNew ? "Create event type" : "Edit event type"}
      onClose={onClose}
      code={<Code name={fields.value.name} body={form.body} isNew={isNew} />}
      submitLabel={isNew ? "Create event type" : "Save"}
      write={form}
      isDisabled={!isCanonical && form.schema === undefined}
      judge="service"
      error={outsideFields(form.error, POINTERS)}
      onSubmit={form.submit}
    >
      {isNew ? (
        <TextField
          label="Name"
          description="The name of the events, such as parcel.scanned."
          mono
          isRequired
          {...fields.text("/name")}
        />
      ) : null}
      {isCanonical ? null : (
        <>
          <TextField label="Title" {...fields.text("/title")} />
          <TextField
            label="JSON Schema"
            description="Describes the data. JSON Schema 2020-12."
            mono
            lines={12}
            spellCheck="false"
            value={form.text}
            onChange={form.setText}
            error={form.schema === undefined ? "Enter a valid JSON object." : fieldMessage(form.error, "/schema")}
          />
        </>
      )}
      {isNew || isCanonical ? null : (
        <Checkbox isSelected={form.isNewVersion} onChange={form.setNewVersion}>
          Make a new version with this schema
        </Checkbox>
      )}
      <Select
        label="Data that does not match"
        description="Events of sources, rules, workflows and connectors are never refused."
        options={ENFORCEMENTS}
        {...fields.choice("/enforcement")}
      />
    </FormDialog>
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
  const [text, setText] = useState(written);
  const [isNewVersion, setNewVersion] = useState(false);
  const create = useWrite("event_types.create", REFRESHES);
  const update = useWrite("event_types.update", REFRESHES);
  const version = useWrite("event_types.versions.create", REFRESHES);
  const error = version.error ?? update.error ?? create.error;
  const { name = "", title = "", enforcement = "off" } = type ?? {};
  const fields = useWireForm({ name, title, enforcement }, error);
  const schema = readObject(text);
  const data = schema === undefined ? {} : { schema };
  const isCanonical = type?.canonical === true;
  const { name: _name, ...changes } = fields.value;
  // An unchanged schema is not sent, because its numbers could have more digits than a browser keeps.
  const described = { ...changes, ...(type === undefined || text !== written ? data : {}) };
  const body = isCanonical ? { enforcement: changes.enforcement } : described;
  const ended = { onSuccess: onDone };
  function submit(): void {
    if (type === undefined) create.mutate({ body: { ...fields.value, ...body } }, ended);
    else if (isNewVersion) version.mutate({ path: { name }, body: data }, ended);
    else update.mutate({ path: { name }, body }, ended);
  }
  const isPending = [create, update, version].some((write) => write.isPending);
  return { fields, text, setText, isNewVersion, setNewVersion, schema, body, isCanonical, submit, isPending, error };
}
