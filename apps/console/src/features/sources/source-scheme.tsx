import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { Button, Card, fieldError, Form, prettyJson, TextField, toast } from "../../ui/ui.ts";

/** The description of the sender's signature, as JSON. A source of a known sender or with a named scheme has none. */
export function SourceScheme({ source }: { readonly source: wire.InboundEndpoint }) {
  const [text, setText] = useState(() => prettyJson(JSON.stringify(source.scheme)));
  const [fault, setFault] = useState<string>();
  const access = useAccess();
  const save = useWrite("inbound_endpoints.update", { refreshes: ["inbound_endpoints."] });
  const send = (): void => {
    const scheme = parsed(text);
    setFault(scheme === undefined ? "This is not valid JSON." : undefined);
    if (scheme !== undefined)
      save.mutate({ path: { id: source.id }, body: { scheme } }, { onSuccess: () => toast("Signature scheme saved.") });
  };
  return (
    <Card title="Signature scheme" description="The guide to inbound webhooks explains each member.">
      <Form label="Signature scheme" error={save.error} onSubmit={send}>
        <TextField
          label="Scheme"
          mono
          lines={10}
          value={text}
          onChange={setText}
          error={fault ?? fieldError(save.error, "/scheme").error}
        />
        <div>
          <Button
            type="submit"
            variant="primary"
            isPending={save.isPending}
            isDisabled={!access.may("inbound_endpoints.update")}
          >
            Save scheme
          </Button>
        </div>
      </Form>
    </Card>
  );
}

function parsed(text: string): wire.SignatureScheme | undefined {
  try {
    return JSON.parse(text) as wire.SignatureScheme;
  } catch {
    return undefined;
  }
}
