import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import {
  Button,
  Card,
  Form,
  Loaded,
  RadioGroup,
  StatusLight,
  TagInput,
  TextField,
  toast,
  trimmed,
  useWireForm,
} from "../../../ui/ui.ts";

const PROVIDERS = [
  { value: "off", label: "Off", detail: "No model receives events" },
  {
    value: "openai_compatible",
    label: "Model server",
    detail: "Any server that supports the chat completions protocol",
  },
  { value: "scripted", label: "Scripted", detail: "Fixed responses for tests" },
];

/** Configures the assistant, which receives events and may propose actions that people approve. */
export function AssistantCard() {
  const assistant = useQuery(read("assistant.get"));
  return (
    <Card
      title="Assistant"
      description="An AI model that reads events and can propose actions. It never runs an action."
    >
      <Loaded query={assistant} label="Loading the assistant" lines={4}>
        {(found) => <AssistantForm key={found.updated_at} assistant={found} />}
      </Loaded>
    </Card>
  );
}

function AssistantForm({ assistant }: { readonly assistant: wire.Assistant }) {
  const [provider, setProvider] = useState<string>(assistant.provider);
  const access = useAccess();
  const choose = useWrite("workspaces.update", { refreshes: ["assistant.", "workspaces."] });
  const update = useWrite("assistant.update", { refreshes: ["assistant."] });
  const { base_url, model, secret_ref, instructions, events } = assistant;
  const form = useWireForm({ base_url, model, secret_ref, instructions, events }, update.error);
  const save = async (): Promise<void> => {
    // The settings are saved before the provider is chosen, so that the assistant never starts half configured.
    if (provider !== "off") await update.mutateAsync({ body: bodyOf(provider, form.value) });
    await choose.mutateAsync({ body: { settings: { assistant: provider } } });
    toast("Assistant saved.");
  };
  return (
    <Form
      guardsEdits
      onSubmit={() => void save().catch(() => {})}
      error={update.error ?? choose.error}
      label="Assistant"
    >
      <AssistantState assistant={assistant} />
      <RadioGroup label="Provider" options={PROVIDERS} value={provider} onChange={setProvider} />
      {provider === "openai_compatible" ? (
        <>
          <TextField
            label="Base URL"
            type="url"
            mono
            placeholder="https://api.example.com/v1"
            {...form.text("/base_url", null)}
          />
          <TextField label="Model" mono {...form.text("/model", null)} />
          <TextField
            label="Secret"
            isRequired={false}
            mono
            description="The name of a stored secret that is sent as a bearer token."
            {...form.text("/secret_ref", null)}
          />
        </>
      ) : null}
      {provider === "off" ? null : (
        <>
          <TagInput
            label="Event types"
            description="Names of event types, or * for all except system events."
            {...form.tags("/events")}
          />
          <TextField label="Instructions" isRequired={false} lines={3} {...form.text("/instructions")} />
        </>
      )}
      <div>
        <Button
          type="submit"
          isPending={update.isPending || choose.isPending}
          isDisabled={!access.may("assistant.update")}
        >
          Save assistant
        </Button>
      </div>
    </Form>
  );
}

function AssistantState({ assistant }: { readonly assistant: wire.Assistant }) {
  if (assistant.state === "on") return <StatusLight tone="good">On: receives events</StatusLight>;
  if (assistant.state === "incomplete")
    return <StatusLight tone="warn">Incomplete. Missing: {assistant.missing.join(", ")}</StatusLight>;
  return <StatusLight tone="neutral">Off</StatusLight>;
}

type Form = Pick<wire.Assistant, "base_url" | "model" | "secret_ref" | "instructions" | "events">;

function bodyOf(provider: string, form: Form): wire.AssistantChange {
  const { events, instructions, ...server } = trimmed(form, ["/base_url", "/model", "/secret_ref"]);
  return { events, instructions, ...(provider === "openai_compatible" ? server : {}) };
}
