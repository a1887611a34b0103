import { Send } from "lucide-react";
import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { useEndpoints } from "../../shared/shared.ts";
import { Button, fieldError, FormDialog, Select, toastSuccess } from "../../ui/ui.ts";

/** Sends an event to one endpoint, and to no other subscriber. */
export function SendToOne({ event }: { readonly event: wire.EventDetail }) {
  const [isOpen, setOpen] = useState(false);
  const { may } = useAccess();
  const mayBoth = may("events.refire") && may("webhook_endpoints.backfill");
  return (
    <>
      <Button icon={<Send aria-hidden size={15} />} isDisabled={!mayBoth} onPress={() => setOpen(true)}>
        Send to one endpoint
      </Button>
      {isOpen ? <SendDialog event={event} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function SendDialog({ event, onClose }: { readonly event: wire.EventDetail; readonly onClose: () => void }) {
  const endpoints = useEndpoints();
  const [endpointId, setEndpointId] = useState("");
  const send = useWrite("events.refire", { refreshes: ["events.get", "deliveries."] });
  return (
    <FormDialog
      title="Send to one endpoint"
      onClose={onClose}
      submitLabel="Send event"
      write={send}
      isDisabled={endpointId === ""}
      onSubmit={() =>
        send.mutate(
          { path: { id: event.id }, body: { endpoint_id: endpointId } },
          toastSuccess("A new delivery of the event was created.", onClose),
        )
      }
    >
      <p className="text-muted">
        Creates a new delivery of this event for one endpoint. Other endpoints, rules and workflows get nothing. The
        endpoint must be on and subscribe to {event.event}.
      </p>
      <Select
        label="Endpoint"
        placeholder={endpoints.all.length === 0 ? "No endpoints yet" : "Select an endpoint"}
        options={endpoints.options}
        value={endpointId === "" ? null : endpointId}
        onChange={setEndpointId}
        {...fieldError(send.error, "/endpoint_id")}
      />
    </FormDialog>
  );
}
