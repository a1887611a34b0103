import { Channels, ConditionView, LeafView } from "../../events/events.ts";
import { t } from "../../lib/lib.ts";

export const FilterView = t.Nullable(
  t.Unsafe<object>({
    ...ConditionView,
    description:
      "A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter.",
  }),
);

export const ExplainBody = t.Object(
  {
    event: t.Optional(t.StringExample("order.created", { minLength: 1, maxLength: 128 })),
    data: t.Optional(t.Unsafe<object>({ type: "object", examples: [{ total: 120 }] })),
    tenant: t.Optional(t.Tenant("The tenant of the given event. Default: none.")),
    channels: t.Optional(Channels),
    event_id: t.Optional(t.WireId("evt")),
  },
  {
    ...t.strict,
    title: "EndpointQuestion",
    description: "An event with its data, or the `event_id` of a past or scheduled event.",
  },
);

export const ExplainView = t.Object(
  {
    matched: t.Boolean({ description: "Whether the endpoint would get the event: whether every check matched." }),
    checks: t.Array(
      t.Object(
        {
          check: t.OneOf(
            ["active", "tenant", "events", "version", "channels", "filter"],
            "`active`: the endpoint is active. `tenant`: the event is of the endpoint's tenant, or the endpoint has none. `events`: it subscribes to the event, which is not about the endpoint itself. `version`: `event_versions` allows the version of its type; an event that is given with its data is taken to have that version. `channels`: the event has one of the endpoint's channels; only for an endpoint with channels. `filter`: the filter holds, or there is none.",
          ),
          matched: t.Boolean(),
          reason: t.Optional(
            t.OneOf(
              ["too_expensive"],
              "The filter takes too long for the data of the event. A delivery would fail with this `error_class`.",
            ),
          ),
          leaves: t.Optional(t.Array(LeafView, { description: "The result of each leaf of the filter." })),
        },
        { title: "EndpointCheck" },
      ),
    ),
    ladder_seconds: t.Array(t.Number({ examples: [60] }), {
      description: "The waits of the endpoint's retry schedule, in seconds.",
    }),
  },
  { title: "EndpointExplanation" },
);

export const PreviewBody = t.Object({ filter: FilterView }, { ...t.strict, title: "FilterPreview" });

const number = (description: string) => t.Integer({ minimum: 0, examples: [12], description });
export const PreviewView = t.Object(
  {
    examined: number("The number of events that were read: at most the last 100."),
    subscribed: number("The number of these events that the endpoint subscribes to."),
    matched: number("The number of events that the endpoint would have got with the filter."),
    too_expensive: number(
      "The number of events for whose data the filter takes too long. Their deliveries would fail.",
    ),
    events: t.Array(
      t.Object(
        { id: t.WireId("evt"), event: t.StringExample("order.created"), occurred_at: t.Timestamp },
        { title: "FilteredEvent" },
      ),
      { description: "The events that it would have got, newest first." },
    ),
  },
  { title: "FilterPreviewResult" },
);
