import { t } from "../../lib/lib.ts";
import { MAX_PER_DAY } from "./assistant-settings.ts";

const PROVIDERS = ["off", "openai_compatible", "scripted"] as const;
const script = {
  description:
    'The responses of the scripted provider: a list of `{on?, say?, calls?: [{action, arguments}]}`. The first entry whose `on` names the event responds, with `${$.data.x}` filled in. `"hostile"` tries everything that a compromised model would.',
  examples: [
    [
      {
        on: ["ticket.created"],
        say: "A note helps.",
        calls: [{ action: "crm.note", arguments: { text: "${$.data.subject}" } }],
      },
    ],
  ],
};
const fields = {
  base_url: t.Nullable(
    t.StringExample("https://api.example.com/v1", {
      maxLength: 2048,
      description: "The base URL of a server with the chat completions protocol: the part before `/chat/completions`.",
    }),
  ),
  model: t.Nullable(
    t.StringExample("small-1", { minLength: 1, maxLength: 200, description: "The provider's name of the model." }),
  ),
  secret_ref: t.Nullable(
    t.StringExample("model_key", {
      maxLength: 100,
      description:
        "The name of a secret (`PUT /v1/secrets/{name}`) that is sent as a Bearer token. Null: no token is sent.",
    }),
  ),
  instructions: t.StringExample("Offer a refund only where the order is late.", {
    maxLength: 8000,
    description: "The workspace's instructions to the model, which follow those of the service.",
  }),
  events: t.Array(t.StringExample("ticket.created", { maxLength: 128 }), {
    maxItems: 100,
    description:
      "The event types that the assistant receives, or patterns such as `order.*`. `*` means every event type except system events.",
  }),
  max_per_minute: t.Integer({
    minimum: 1,
    maximum: 1000,
    description: "The maximum number of model requests per minute.",
    examples: [10],
  }),
  max_per_day: t.Integer({
    minimum: 1,
    maximum: MAX_PER_DAY,
    description: "The maximum number of model requests per day.",
    examples: [500],
  }),
};

export const AssistantPatch = t.Object(
  {
    base_url: t.Optional(fields.base_url),
    model: t.Optional(fields.model),
    secret_ref: t.Optional(fields.secret_ref),
    instructions: t.Optional(fields.instructions),
    events: t.Optional(fields.events),
    max_per_minute: t.Optional(fields.max_per_minute),
    max_per_day: t.Optional(fields.max_per_day),
    script: t.Optional(t.Unsafe<unknown>(script)),
  },
  { ...t.strict, minProperties: 1, title: "AssistantChange" },
);

export const AssistantShape = t.Object(
  {
    object: t.OneOf(["assistant"]),
    provider: t.OneOf(PROVIDERS, "The workspace setting `assistant`."),
    state: t.OneOf(["off", "incomplete", "on"], "Whether the assistant receives events."),
    missing: t.Array(t.StringExample("model"), {
      description: "The settings that are required before the assistant receives events.",
    }),
    ...fields,
    script: t.Unsafe<unknown>(script),
    asked: t.Object(
      {
        last_minute: t.Integer({ examples: [1] }),
        last_day: t.Integer({ examples: [42] }),
      },
      { title: "AssistantAsked", description: "The number of model requests of the workspace, in both environments." },
    ),
    waiting: t.Integer({
      description: "The number of events in this environment that wait for the assistant.",
      examples: [0],
    }),
    failed: t.Integer({
      description: "The number of events of the last day that the assistant failed to process.",
      examples: [0],
    }),
    updated_at: t.Nullable(t.Timestamp),
  },
  { title: "Assistant" },
);

export const TrialBody = t.Object(
  {
    event: t.StringExample("ticket.created", { minLength: 1, maxLength: 128 }),
    data: t.Unsafe<object>({ type: "object", examples: [{ subject: "Where is my order?" }] }),
  },
  { ...t.strict, title: "AssistantTest" },
);

const TriedCall = t.Object(
  {
    action: t.StringExample("crm.note", "The name that the model used."),
    arguments: t.StringExample('{"text":"Where is my order?"}', "The arguments as the model wrote them."),
    outcome: t.Unsafe<unknown>({
      description: "The result that the call would have: the preview that people would see, or the refusal.",
      examples: [{ object: "dry_run", outcome: "pending_confirmation" }],
    }),
    error_code: t.Nullable(t.StringExample("action_unknown")),
  },
  { title: "AssistantTestCall" },
);

export const TrialShape = t.Object(
  {
    object: t.OneOf(["assistant_test"]),
    provider: t.OneOf(PROVIDERS),
    prompt: t.Object(
      {
        system: t.StringExample("You are the assistant of a company's integration platform."),
        user: t.StringExample('{"event":"ticket.created","data":{"subject":"Where is my order?"}}'),
        tools: t.Array(t.StringExample("crm.note"), { description: "The actions that the model was offered." }),
      },
      { title: "AssistantPrompt", description: "The complete input of the model, without secrets." },
    ),
    status: t.OneOf(["ok", "failed"]),
    error_code: t.Nullable(t.StringExample("provider_timeout")),
    response: t.Nullable(
      t.StringExample("A note helps.", "The model's response, or the reason why the model could not be called."),
    ),
    calls: t.Array(TriedCall),
    duration_ms: t.Integer({ examples: [812] }),
    history_id: t.WireId("air"),
  },
  { title: "AssistantTestResult" },
);
