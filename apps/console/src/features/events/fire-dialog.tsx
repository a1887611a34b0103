import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { fieldMessage, outsideFields, PayloadFields, usePayload } from "../../shared/shared.ts";
import { Badge, Button, Dialog, FormDialog, Link, ShowAs, TextField, toastError } from "../../ui/ui.ts";
import { subscriberWord } from "./reacts.tsx";

export interface FireDialogProps {
  /** The event to begin with. */
  readonly event: string;
  readonly onClose: () => void;
}

const POINTERS = ["/event", "/data", "/subject"];

/** Fires a real event: everything that subscribes to it reacts. */
export function FireDialog({ event: first, onClose }: FireDialogProps) {
  const [event, setEvent] = useState(first);
  const [subject, setSubject] = useState("");
  const payload = usePayload(event);
  const fire = useWrite("events.fire", { refreshes: ["events.", "deliveries.", "usage.events"] });
  const { data } = payload;
  const body = { event, data: data ?? {}, ...(subject.trim() === "" ? {} : { subject: subject.trim() }) };
  if (fire.data !== undefined) return <FiredDialog fired={fire.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Fire event"
      onClose={onClose}
      code={<ShowAs operation="events.fire" input={{ body }} />}
      submitLabel="Fire event"
      write={fire}
      isDisabled={data === undefined}
      judge="service"
      error={outsideFields(fire.error, POINTERS)}
      onSubmit={() => {
        if (data !== undefined) fire.mutate({ body });
      }}
    >
      <PayloadFields
        event={event}
        onEvent={setEvent}
        eventHint="An event type of the catalog, or a custom event type."
        payload={payload}
        lines={10}
        error={fire.error}
      />
      <div>
        <Button size="sm" variant="quiet" onPress={() => void payload.takeLast().catch(toastError)}>
          Use last event
        </Button>
      </div>
      <TextField
        label="Subject"
        description="The object that the event is about. You can filter the list of events by subject."
        isRequired={false}
        value={subject}
        onChange={setSubject}
        error={fieldMessage(fire.error, "/subject")}
      />
    </FormDialog>
  );
}

function FiredDialog({ fired, onClose }: { readonly fired: wire.FiredEvent; readonly onClose: () => void }) {
  return (
    <Dialog
      title="Event fired"
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          <Link to={paths.event(fired.id)} look="primary">
            View event
          </Link>
        </>
      }
    >
      <p className="text-muted">
        {fired.event} created {counted(fired.deliveries.length, "delivery", "deliveries")}.{" "}
        {fired.subscribers.length === 0 ? "The event has no subscribers." : "Subscribers, in order:"}
      </p>
      <ol className="mt-2 flex flex-col gap-1">
        {fired.subscribers.map((subscriber) => (
          <li key={`${subscriber.kind} ${subscriber.key}`} className="flex items-center gap-2 text-sm">
            <span className="tabular w-6 text-right text-muted">{subscriber.priority}</span>
            <Badge>{subscriberWord(subscriber.kind)}</Badge>
            <span className="truncate font-mono text-xs">{subscriber.key}</span>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

function counted(count: number, one: string, many: string): string {
  return count === 1 ? `one ${one}` : `${count} ${many}`;
}
