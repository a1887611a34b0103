import { useQuery } from "@tanstack/react-query";
import { readExact } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { EmptyState, Link, Loaded, Select } from "../../ui/ui.ts";

const SHOWN = 20;

export interface PastEventProps {
  readonly value: string;
  readonly onChange: (event: wire.Event) => void;
}

/** Lets the user choose one of the last events for a test. */
export function PastEvent({ value, onChange }: PastEventProps) {
  const events = useQuery(readExact("events.list", { query: { limit: SHOWN } }));
  return (
    <Loaded query={events} label="Loading recent events" lines={1}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState
            title="No events yet"
            action={
              <Link to={paths.tester} look="button">
                Send test event
              </Link>
            }
          >
            When an event has been fired, you can use it for a test here.
          </EmptyState>
        ) : (
          <Select
            label="Past event"
            placeholder={`Select one of the last ${data.length}`}
            options={data.map((event) => ({
              value: event.id,
              label: `${event.event}, ${new Date(event.occurred_at).toLocaleString()}`,
              detail: event.id,
            }))}
            value={value === "" ? null : value}
            onChange={(id) => {
              const found = data.find((event) => event.id === id);
              if (found !== undefined) onChange(found);
            }}
          />
        )
      }
    </Loaded>
  );
}
