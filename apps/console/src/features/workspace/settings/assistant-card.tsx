import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useAccess } from "../../../session/session.ts";
import {
  Button,
  Card,
  fieldError,
  Form,
  Loaded,
  RadioGroup,
  StatusLight,
  TagInput,
  TextField,
  toast,
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
  const [texts, setTexts] = useState({
    url: assistant.base_url ?? "",
    model: assistant.model ?? "",
    secret: assistant.secret_ref ?? "",
    words: assistant.instructions,
  });
  const [events, setEvents] = useState<readonly string[]>(assistant.events);
  const access = useAccess();
  const change = (part: Partial<typeof texts>): void => setTexts({ ...texts, ...part });
  const choose = useWrite("workspaces.update", { refreshes: ["assistant.", "workspaces."] });
  const update = useWrite("assistant.update", { refreshes: ["assistant."] });
  const save = async (): Promise<void> => {
    // The settings are saved before the provider is chosen, so that the assistant never starts half configured.
    if (provider !== "off") await update.mutateAsync({ body: bodyOf(provider, texts, events) });
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
            value={texts.url}
            onChange={(url) => change({ url })}
            {...fieldError(update.error, "/base_url")}
          />
          <TextField
            label="Model"
            mono
            value={texts.model}
            onChange={(model) => change({ model })}
            {...fieldError(update.error, "/model")}
          />
          <TextField
            label="Secret"
            isRequired={false}
            mono
            description="The name of a stored secret that is sent as a bearer token."
            value={texts.secret}
            onChange={(secret) => change({ secret })}
            {...fieldError(update.error, "/secret_ref")}
          />
        </>
      ) : null}
      {provider === "off" ? null : (
        <>
          <TagInput
            label="Event types"
            description="Names of event types, or * for all except system events."
            values={events}
            onChange={setEvents}
            {...fieldError(update.error, "/events")}
          />
          <TextField
            label="Instructions"
            isRequired={false}
            lines={3}
            value={texts.words}
            onChange={(words) => change({ words })}
            {...fieldError(update.error, "/instructions")}
          />
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

interface Texts {
  readonly url: string;
  readonly model: string;
  readonly secret: string;
  readonly words: string;
}

function bodyOf(
  provider: string,
  { url, model, secret, words }: Texts,
  events: readonly string[],
): wire.AssistantChange {
  const heard = { events: [...events], instructions: words };
  if (provider !== "openai_compatible") return heard;
  return { ...heard, base_url: orNull(url), model: orNull(model), secret_ref: orNull(secret) };
}

function orNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}
