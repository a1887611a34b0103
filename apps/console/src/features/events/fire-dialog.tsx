import { Form } from "react-aria-components";
import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Badge, Button, ComboBox, Dialog, ErrorNote, Link, ShowAs, TextField, toastError } from "../../ui/ui.ts";
import { objectOf, usePayload } from "../../shared/payload.ts";
import { isOutsideFields, problemAt } from "../../shared/field-message.ts";

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
  const data = objectOf(payload.text);
  const body = { event, data: data ?? {}, ...(subject.trim() === "" ? {} : { subject: subject.trim() }) };
  if (fire.data !== undefined) return <FiredDialog fired={fire.data} onClose={onClose} />;
  return (
    <Dialog
      title="Fire an event"
      isOpen
      onClose={onClose}
      actions={
        <>
          <ShowAs operation="events.fire" input={{ body }} />
          <Button onPress={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form="fire-event"
            isDisabled={data === undefined}
            isPending={fire.isPending}
          >
            Fire
          </Button>
        </>
      }
    >
      <Form
        validationBehavior="aria"
        id="fire-event"
        className="flex flex-col gap-4"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          if (data !== undefined) fire.mutate({ body });
        }}
      >
        <ComboBox
          label="Event"
          description="One of the catalogue, or any name of your own."
          options={payload.options}
          value={event}
          onChange={setEvent}
          mono
          {...optional(problemAt(fire.error, "/event"))}
        />
        <TextField
          label="Data"
          lines={10}
          mono
          value={payload.text}
          onChange={payload.setText}
          spellCheck="false"
          description={payload.from}
          error={data === undefined ? "This is no JSON object." : problemAt(fire.error, "/data")}
        />
        <div>
          <Button size="sm" variant="quiet" onPress={() => void payload.takeLast().catch(toastError)}>
            Use the last real one
          </Button>
        </div>
        <TextField
          label="Subject"
          description="What it is about; the event list can be filtered by it."
          isRequired={false}
          value={subject}
          onChange={setSubject}
          error={problemAt(fire.error, "/subject")}
        />
        {isOutsideFields(fire.error, POINTERS) ? <ErrorNote error={fire.error} /> : null}
      </Form>
    </Dialog>
  );
}

function FiredDialog({ fired, onClose }: { readonly fired: wire.FiredEvent; readonly onClose: () => void }) {
  return (
    <Dialog
      title="The event was fired"
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          <Link to={paths.event(fired.id)} look="primary">
            See what comes of it
          </Link>
        </>
      }
    >
      <p className="text-muted">
        {fired.event} became {counted(fired.deliveries.length, "delivery", "deliveries")}.{" "}
        {fired.subscribers.length === 0 ? "Nothing subscribes to it." : "In this order react:"}
      </p>
      <ol className="mt-2 flex flex-col gap-1">
        {fired.subscribers.map((subscriber) => (
          <li key={`${subscriber.kind} ${subscriber.key}`} className="flex items-center gap-2 text-sm">
            <span className="tabular w-6 text-right text-muted">{subscriber.priority}</span>
            <Badge>{subscriber.kind}</Badge>
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

function optional(error: string | undefined): { readonly error?: string } {
  return error === undefined ? {} : { error };
}
