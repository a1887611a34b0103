import { Channels, ConditionView, LeafView } from "../../events/events.ts";
import { Nullable, OneOf, strict, StringExample, Tenant, Timestamp, Type, WireId } from "../../lib/lib.ts";

export const FilterView = Nullable(
  Type.Unsafe<object>({
    ...ConditionView,
    description:
      "A condition over the `event`, its `data` and its `tenant`, in the language of rules. Of the events in `events`, the endpoint gets only those for which it holds. A change applies to events that are accepted after it. Null: no filter.",
  }),
);

export const ExplainBody = Type.Object(
  {
    event: Type.Optional(StringExample("order.created", { minLength: 1, maxLength: 128 })),
    data: Type.Optional(Type.Unsafe<object>({ type: "object", examples: [{ total: 120 }] })),
    tenant: Type.Optional(Tenant("The tenant of the given event. Default: none.")),
    channels: Type.Optional(Channels),
    event_id: Type.Optional(WireId("evt")),
  },
  {
    ...strict,
    title: "EndpointQuestion",
    description: "An event with its data, or the `event_id` of a past or scheduled event.",
  },
);

export const ExplainView = Type.Object(
  {
    matched: Type.Boolean({ description: "Whether the endpoint would get the event: whether every check matched." }),
    checks: Type.Array(
      Type.Object(
        {
          check: OneOf(
            ["active", "tenant", "events", "version", "channels", "filter"],
            "`active`: the endpoint is active. `tenant`: the event is of the endpoint's tenant, or the endpoint has none. `events`: it subscribes to the event, which is not about the endpoint itself. `version`: `event_versions` allows the version of its type; an event that is given with its data is taken to have that version. `channels`: the event has one of the endpoint's channels; only for an endpoint with channels. `filter`: the filter holds, or there is none.",
          ),
          matched: Type.Boolean(),
          reason: Type.Optional(
            OneOf(
              ["too_expensive"],
              "The filter takes too long for the data of the event. A delivery would fail with this `error_class`.",
            ),
          ),
          leaves: Type.Optional(Type.Array(LeafView, { description: "The result of each leaf of the filter." })),
        },
        { title: "EndpointCheck" },
      ),
    ),
    ladder_seconds: Type.Array(Type.Number({ examples: [60] }), {
      description: "The waits of the endpoint's retry schedule, in seconds.",
    }),
  },
  { title: "EndpointExplanation" },
);

export const PreviewBody = Type.Object({ filter: FilterView }, { ...strict, title: "FilterPreview" });

const number = (description: string) => Type.Integer({ minimum: 0, examples: [12], description });
export const PreviewView = Type.Object(
  {
    examined: number("The number of events that were read: at most the last 100."),
    subscribed: number("The number of these events that the endpoint subscribes to."),
    matched: number("The number of events that the endpoint would have got with the filter."),
    too_expensive: number(
      "The number of events for whose data the filter takes too long. Their deliveries would fail.",
    ),
    events: Type.Array(
      Type.Object(
        { id: WireId("evt"), event: StringExample("order.created"), occurred_at: Timestamp },
        { title: "FilteredEvent" },
      ),
      { description: "The events that it would have got, newest first." },
    ),
  },
  { title: "FilterPreviewResult" },
);
