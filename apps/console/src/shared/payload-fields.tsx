import { ComboBox, TextField } from "../ui/ui.ts";
import { fieldMessage } from "./field-message.ts";
import type { Payload } from "./payload.ts";

export interface PayloadFieldsProps {
  readonly event: string;
  readonly onEvent: (event: string) => void;
  readonly eventHint?: string;
  readonly payload: Payload;
  readonly lines: number;
  /** The service's error, with its messages about `/event` and `/data`. */
  readonly error: unknown;
}

/** An event's name and its data. */
export function PayloadFields({ event, onEvent, eventHint, payload, lines, error }: PayloadFieldsProps) {
  return (
    <>
      <ComboBox
        label="Event type"
        description={eventHint}
        options={payload.options}
        value={event}
        onChange={onEvent}
        mono
        error={fieldMessage(error, "/event")}
      />
      <TextField
        label="Data"
        lines={lines}
        mono
        value={payload.text}
        onChange={payload.setText}
        spellCheck="false"
        description={payload.from}
        error={payload.data === undefined ? "Enter a valid JSON object." : fieldMessage(error, "/data")}
      />
    </>
  );
}
