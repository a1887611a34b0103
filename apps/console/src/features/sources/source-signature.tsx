import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { fieldMessage, readObject } from "../../shared/shared.ts";
import { Card, Form, prettyJson, Select, ShowAs, TextField, toastSuccess } from "../../ui/ui.ts";
import { schemeLabel } from "./senders.ts";
import { SaveSource } from "./save-source.tsx";

const CUSTOM = "custom";
const SENDER = { value: "sender", label: schemeLabel("sender") };
const SCHEMES = [
  { value: "service", label: "Junction" },
  { value: "standard_webhooks", label: "Standard Webhooks" },
  { value: "stripe", label: "Stripe" },
  { value: "github", label: "GitHub" },
  { value: "calendly", label: "Calendly" },
  { value: "slack", label: "Slack" },
  { value: CUSTOM, label: "Custom" },
];

/** Edits how requests are verified: a named scheme, or a description as JSON. */
export function SourceSignature({ source }: { readonly source: wire.InboundEndpoint }) {
  const [name, setName] = useState<string>(source.signature_scheme);
  const [text, setText] = useState(() => prettyJson(JSON.stringify(source.scheme)));
  const save = useWrite("inbound_endpoints.update", { refreshes: ["inbound_endpoints."] });
  const scheme = readObject(text) as wire.SignatureScheme | undefined;
  const isCustom = name === CUSTOM;
  const body = isCustom ? { scheme: scheme ?? source.scheme } : { signature_scheme: name };
  const input = { path: { id: source.id }, body };
  // The API sets a named or a described scheme. The sender's own is the scheme that the source already has.
  const isSaved = name === SENDER.value;
  const problem = isCustom && scheme === undefined ? "Enter a valid JSON object." : fieldMessage(save.error, "/scheme");
  return (
    <Card
      title="Signature"
      description="How the source checks that a request comes from the sender."
      actions={<ShowAs operation="inbound_endpoints.update" input={input} />}
    >
      <Form
        guardsEdits
        label="Signature"
        judge="service"
        error={save.error}
        onSubmit={() => {
          if (isSaved || (isCustom && scheme === undefined)) return;
          save.mutate(input, toastSuccess("Signature scheme saved."));
        }}
      >
        <Select
          label="Signature scheme"
          options={source.signature_scheme === SENDER.value ? [SENDER, ...SCHEMES] : SCHEMES}
          value={name}
          onChange={setName}
          error={fieldMessage(save.error, "/signature_scheme")}
        />
        {isCustom ? (
          <TextField
            label="Scheme as JSON"
            description={
              'Its kind is "hmac", "ed25519", "ecdsa_p256", "token", "basic", "jwt" or "sns". The guide to inbound webhooks describes each member.'
            }
            lines={10}
            mono
            spellCheck="false"
            value={text}
            onChange={setText}
            error={problem}
          />
        ) : null}
        <SaveSource isPending={save.isPending} isDisabled={isSaved}>
          Save signature
        </SaveSource>
      </Form>
    </Card>
  );
}
