import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { Button, Card, fieldError, Form, Select, Switch, TextField, toast } from "../../ui/ui.ts";

const STATUSES = ["200", "201", "202", "204"].map((value) => ({ value, label: value }));
const TYPES = ["application/json", "text/plain", "text/xml"].map((value) => ({ value, label: value }));

/** The response to accepted requests, for senders that need their own. */
export function SourceResponse({ source }: { readonly source: wire.InboundEndpoint }) {
  const [isOwn, setOwn] = useState(source.respond !== null);
  const [status, setStatus] = useState(String(source.respond?.status ?? 200));
  const [type, setType] = useState<string>(source.respond?.content_type ?? "text/plain");
  const [body, setBody] = useState(source.respond?.body ?? "");
  const access = useAccess();
  const save = useWrite("inbound_endpoints.update", { refreshes: ["inbound_endpoints."] });
  const respond = isOwn ? { status: Number(status), content_type: type, body } : null;
  return (
    <Card
      title="Response"
      description="Some senders accept only a certain response. Errors keep the service's responses."
    >
      <Form
        label="Response"
        error={save.error}
        onSubmit={() =>
          save.mutate({ path: { id: source.id }, body: { respond } }, { onSuccess: () => toast("Response saved.") })
        }
      >
        <Switch isSelected={isOwn} onChange={setOwn}>
          Send a response of your own
        </Switch>
        {isOwn ? (
          <>
            <Select label="Status" options={STATUSES} value={status} onChange={setStatus} />
            <Select label="Content type" options={TYPES} value={type} onChange={setType} />
            <TextField
              label="Body"
              lines={3}
              mono
              value={body}
              onChange={setBody}
              {...fieldError(save.error, "/respond/body")}
            />
          </>
        ) : null}
        <div>
          <Button
            type="submit"
            variant="primary"
            isPending={save.isPending}
            isDisabled={!access.may("inbound_endpoints.update")}
          >
            Save response
          </Button>
        </div>
      </Form>
    </Card>
  );
}
