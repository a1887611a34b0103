import { useState } from "react";
import { call } from "../api/api.ts";
import type { Option } from "../ui/ui.ts";
import { useEventTypes } from "./event-names.ts";
import { pretty, readObject } from "./values.ts";

/** The data of an event as it is being written. */
export interface Payload {
  readonly options: readonly Option[];
  readonly text: string;
  /** Undefined while the text is not a JSON object. */
  readonly data: object | undefined;
  /** Origin of the text. */
  readonly from: string;
  readonly setText: (text: string) => void;
  readonly takeExample: () => void;
  /** Throws when the event was never fired. */
  readonly takeLast: () => Promise<void>;
}

/** Data that was written or taken for an event. */
export interface PastPayload {
  readonly event: string;
  readonly text: string;
  readonly from: string;
}

/** Begins with the example of the event, or with `begin`. Another event begins with its own example. */
export function usePayload(event: string, begin: PastPayload | null = null): Payload {
  const types = useEventTypes();
  const [written, setWritten] = useState(begin);
  const example = pretty(types.byName.get(event)?.example ?? { message: "A test event." });
  const isOwn = written !== null && written.event === event;
  const text = isOwn ? written.text : example;
  return {
    options: types.options,
    text,
    data: readObject(text),
    from: isOwn ? written.from : "Example data of this event type. You can edit it.",
    setText: (own) => setWritten({ event, text: own, from: "Edited." }),
    takeExample: () => setWritten(null),
    takeLast: async () => {
      const { data } = await call("events.list", { query: { event, limit: 1 } });
      const [last] = data;
      if (last === undefined) throw new Error(`No ${event} event has been fired yet.`);
      setWritten({ event, text: pretty(last.data), from: `Data of the last event: ${last.id}.` });
    },
  };
}
