import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { fieldMessage, pretty, readValue } from "../../shared/shared.ts";
import { Card, CodeBlock, Form, RadioGroup, ShowAs, TextField, toastSuccess } from "../../ui/ui.ts";
import { useSenders } from "./senders.ts";
import { SaveSource } from "./save-source.tsx";

type Kind = "sender" | "own";

const KINDS = [
  {
    value: "sender",
    label: "The sender's",
    detail: "As the gallery describes the source's sender. Other sources have none.",
  },
  { value: "own", label: "Custom", detail: "For senders that the gallery does not have." },
] as const;

/** Shows and edits how the source answers when its sender checks the URL. */
export function SourceHandshakes({ source }: { readonly source: wire.InboundEndpoint }) {
  const [kind, setKind] = useState<Kind>(source.handshakes === null ? "sender" : "own");
  const [text, setText] = useState(() => pretty(source.handshakes ?? []));
  const save = useWrite("inbound_endpoints.update", { refreshes: ["inbound_endpoints."] });
  const value = readValue(text);
  // The service checks its members.
  const own = Array.isArray(value) ? (value as NonNullable<wire.InboundEndpoint["handshakes"]>) : undefined;
  const input = { path: { id: source.id }, body: { handshakes: kind === "own" ? (own ?? source.handshakes) : null } };
  const problem =
    kind === "own" && own === undefined ? "Enter a valid JSON array." : fieldMessage(save.error, "/handshakes");
  return (
    <Card
      title="URL checks"
      description="Requests with which a sender checks the URL before it sends events. They fire nothing."
      actions={<ShowAs operation="inbound_endpoints.update" input={input} />}
    >
      <Form
        guardsEdits
        label="URL checks"
        judge="service"
        error={save.error}
        onSubmit={() => {
          if (kind === "own" && own === undefined) return;
          save.mutate(input, toastSuccess("URL checks saved."));
        }}
      >
        <RadioGroup label="URL checks" options={KINDS} value={kind} onChange={setKind} />
        {kind === "sender" ? (
          <SendersChecks sender={source.sender} />
        ) : (
          <TextField
            label="URL checks as JSON"
            description="The guide to inbound webhooks describes each member."
            lines={8}
            mono
            spellCheck="false"
            value={text}
            onChange={setText}
            error={problem}
          />
        )}
        <SaveSource isPending={save.isPending}>Save URL checks</SaveSource>
      </Form>
    </Card>
  );
}

function SendersChecks({ sender }: { readonly sender: string | null }) {
  const { data = [] } = useSenders({ isNeeded: sender !== null });
  const { handshakes = [] } = data.find(({ key }) => key === sender) ?? {};
  if (handshakes.length === 0) return <p className="text-sm text-muted">No requests check the URL.</p>;
  return <CodeBlock label="The sender's URL checks" text={pretty(handshakes)} />;
}
