import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { Card, Form, RadioGroup, Select, ShowAs, TextField, toastSuccess, useWireForm } from "../../ui/ui.ts";
import { SaveSource } from "./save-source.tsx";

type Kind = "service" | "own";

const KINDS = [
  { value: "service", label: "Junction's own", detail: "Status 200 with the receipt's ID and result as JSON." },
  { value: "own", label: "Custom", detail: "For senders that need a certain response." },
] as const;
const NO_CONTENT = 204;
const USUAL = { status: 200, content_type: "application/json", body: "" };
const STATUSES = [
  { value: "200", label: "200 OK" },
  { value: "201", label: "201 Created" },
  { value: "202", label: "202 Accepted" },
  { value: String(NO_CONTENT), label: "204 No Content" },
];
const TYPES = ["application/json", "text/plain", "text/xml"].map((value) => ({ value, label: value }));

/** Edits the response to accepted requests. */
export function SourceResponse({ source }: { readonly source: wire.InboundEndpoint }) {
  const [kind, setKind] = useState<Kind>(source.respond === null ? "service" : "own");
  const save = useWrite("inbound_endpoints.update", { refreshes: ["inbound_endpoints."] });
  const form = useWireForm({ respond: source.respond ?? USUAL }, save.error);
  const { respond } = form.value;
  const isEmpty = respond.status === NO_CONTENT;
  const own = isEmpty ? { ...respond, body: "" } : respond;
  const input = { path: { id: source.id }, body: { respond: kind === "own" ? own : null } };
  return (
    <Card
      title="Response"
      description="The response to accepted requests. Errors always have Junction's own responses."
      actions={<ShowAs operation="inbound_endpoints.update" input={input} />}
    >
      <Form
        guardsEdits
        label="Response"
        judge="service"
        error={save.error}
        onSubmit={() => save.mutate(input, toastSuccess("Response saved."))}
      >
        <RadioGroup label="Response" options={KINDS} value={kind} onChange={setKind} />
        {kind === "service" ? null : (
          <>
            <Select label="Status" options={STATUSES} {...form.whole("/respond/status")} />
            <Select label="Content type" options={TYPES} {...form.choice("/respond/content_type")} />
            {isEmpty ? null : (
              <TextField label="Body" lines={4} mono spellCheck="false" {...form.text("/respond/body")} />
            )}
          </>
        )}
        <SaveSource isPending={save.isPending}>Save response</SaveSource>
      </Form>
    </Card>
  );
}
