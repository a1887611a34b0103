import { strict, Nullable, OneOf, StringExample, Timestamp, Type, WireId } from "../../lib/lib.ts";
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
  base_url: Nullable(
    StringExample("https://api.example.com/v1", {
      maxLength: 2048,
      description: "The base URL of a server with the chat completions protocol: the part before `/chat/completions`.",
    }),
  ),
  model: Nullable(
    StringExample("small-1", { minLength: 1, maxLength: 200, description: "The provider's name of the model." }),
  ),
  secret_ref: Nullable(
    StringExample("model_key", {
      maxLength: 100,
      description:
        "The name of a secret (`PUT /v1/secrets/{name}`) that is sent as a Bearer token. Null: no token is sent.",
    }),
  ),
  instructions: StringExample("Offer a refund only where the order is late.", {
    maxLength: 8000,
    description: "The workspace's instructions to the model, which follow those of the service.",
  }),
  events: Type.Array(StringExample("ticket.created", { maxLength: 128 }), {
    maxItems: 100,
    description:
      "The event types that the assistant receives, or patterns such as `order.*`. `*` means every event type except system events.",
  }),
  max_per_minute: Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: "The maximum number of model requests per minute.",
    examples: [10],
  }),
  max_per_day: Type.Integer({
    minimum: 1,
    maximum: MAX_PER_DAY,
    description: "The maximum number of model requests per day.",
    examples: [500],
  }),
};

export const AssistantPatch = Type.Object(
  {
    base_url: Type.Optional(fields.base_url),
    model: Type.Optional(fields.model),
    secret_ref: Type.Optional(fields.secret_ref),
    instructions: Type.Optional(fields.instructions),
    events: Type.Optional(fields.events),
    max_per_minute: Type.Optional(fields.max_per_minute),
    max_per_day: Type.Optional(fields.max_per_day),
    script: Type.Optional(Type.Unsafe<unknown>(script)),
  },
  { ...strict, minProperties: 1, title: "AssistantChange" },
);

export const AssistantShape = Type.Object(
  {
    object: OneOf(["assistant"]),
    provider: OneOf(PROVIDERS, "The workspace setting `assistant`."),
    state: OneOf(["off", "incomplete", "on"], "Whether the assistant receives events."),
    missing: Type.Array(StringExample("model"), {
      description: "The settings that are required before the assistant receives events.",
    }),
    ...fields,
    script: Type.Unsafe<unknown>(script),
    asked: Type.Object(
      {
        last_minute: Type.Integer({ examples: [1] }),
        last_day: Type.Integer({ examples: [42] }),
      },
      { title: "AssistantAsked", description: "The number of model requests of the workspace, in both environments." },
    ),
    waiting: Type.Integer({
      description: "The number of events in this environment that wait for the assistant.",
      examples: [0],
    }),
    failed: Type.Integer({
      description: "The number of events of the last day that the assistant failed to process.",
      examples: [0],
    }),
    updated_at: Nullable(Timestamp),
  },
  { title: "Assistant" },
);

export const TrialBody = Type.Object(
  {
    event: StringExample("ticket.created", { minLength: 1, maxLength: 128 }),
    data: Type.Unsafe<object>({ type: "object", examples: [{ subject: "Where is my order?" }] }),
  },
  { ...strict, title: "AssistantTest" },
);

const TriedCall = Type.Object(
  {
    action: StringExample("crm.note", { description: "The name that the model used." }),
    arguments: StringExample('{"text":"Where is my order?"}', {
      description: "The arguments as the model wrote them.",
    }),
    outcome: Type.Unsafe<unknown>({
      description: "The result that the call would have: the preview that people would see, or the refusal.",
      examples: [{ object: "dry_run", outcome: "pending_confirmation" }],
    }),
    error_code: Nullable(StringExample("action_unknown")),
  },
  { title: "AssistantTestCall" },
);

export const TrialShape = Type.Object(
  {
    object: OneOf(["assistant_test"]),
    provider: OneOf(PROVIDERS),
    prompt: Type.Object(
      {
        system: StringExample("You are the assistant of a company's integration platform."),
        user: StringExample('{"event":"ticket.created","data":{"subject":"Where is my order?"}}'),
        tools: Type.Array(StringExample("crm.note"), { description: "The actions that the model was offered." }),
      },
      { title: "AssistantPrompt", description: "The complete input of the model, without secrets." },
    ),
    status: OneOf(["ok", "failed"]),
    error_code: Nullable(StringExample("provider_timeout")),
    response: Nullable(
      StringExample("A note helps.", {
        description: "The model's response, or the reason why the model could not be called.",
      }),
    ),
    calls: Type.Array(TriedCall),
    duration_ms: Type.Integer({ examples: [812] }),
    history_id: WireId("air"),
  },
  { title: "AssistantTestResult" },
);
