import { closed, Nullable, OneOf, Sample, Timestamp, Type, WireId } from "../lib/lib.ts";
import { MAX_PER_DAY } from "../ai/assistant/settings.ts";

const PROVIDERS = ["off", "openai_compatible", "scripted"] as const;
const script = {
  description:
    'What the scripted provider says: a list of `{on?, say?, calls?: [{action, arguments}]}` of which the first whose `on` names the event answers, with `${$.data.x}` filled in; or `"hostile"`, which tries everything that a model gone bad would.',
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
    Sample("https://api.example.com/v1", {
      maxLength: 2048,
      description: "Of a server that speaks the chat completions protocol: the path before `/chat/completions`.",
    }),
  ),
  model: Nullable(Sample("small-1", { minLength: 1, maxLength: 200, description: "As the provider names it." })),
  secret_ref: Nullable(
    Sample("model_key", {
      maxLength: 100,
      description: "The name of a secret (`PUT /v1/secrets/{name}`) that is sent as Bearer; null: none is.",
    }),
  ),
  instructions: Sample("Offer a refund only where the order is late.", {
    maxLength: 8000,
    description: "The workspace's own words to the model, after the service's.",
  }),
  events: Type.Array(Sample("ticket.created", { maxLength: 128 }), {
    maxItems: 100,
    description: "What it hears of: names, or `*` for all that is not the service's own.",
  }),
  max_per_minute: Type.Integer({ minimum: 1, maximum: 1000, description: "Questions a minute.", examples: [10] }),
  max_per_day: Type.Integer({ minimum: 1, maximum: MAX_PER_DAY, description: "Questions a day.", examples: [500] }),
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
  { ...closed, minProperties: 1, title: "AssistantChange" },
);

export const AssistantShape = Type.Object(
  {
    object: OneOf(["assistant"]),
    provider: OneOf(PROVIDERS, "The workspace's setting `assistant`."),
    state: OneOf(["off", "incomplete", "on"], "Whether it hears of events."),
    missing: Type.Array(Sample("model"), { description: "What has to be set before it does." }),
    ...fields,
    script: Type.Unsafe<unknown>(script),
    asked: Type.Object(
      {
        last_minute: Type.Integer({ examples: [1] }),
        last_day: Type.Integer({ examples: [42] }),
      },
      { title: "AssistantAsked", description: "Questions of the workspace, in both environments." },
    ),
    waiting: Type.Integer({ description: "Events of this environment that are to be told.", examples: [0] }),
    failed: Type.Integer({ description: "Events of the last day that could not be told.", examples: [0] }),
    updated_at: Nullable(Timestamp),
  },
  { title: "Assistant" },
);

export const TrialBody = Type.Object(
  {
    event: Sample("ticket.created", { minLength: 1, maxLength: 128 }),
    data: Type.Unsafe<object>({ type: "object", examples: [{ subject: "Where is my order?" }] }),
  },
  { ...closed, title: "AssistantTest" },
);

const TriedCall = Type.Object(
  {
    action: Sample("crm.note", { description: "As the model named it." }),
    arguments: Sample('{"text":"Where is my order?"}', { description: "As the model wrote them." }),
    outcome: Type.Unsafe<unknown>({
      description: "What would come of it: the preview that people would see, or the refusal.",
      examples: [{ object: "dry_run", outcome: "pending_confirmation" }],
    }),
    error_code: Nullable(Sample("action_unknown")),
  },
  { title: "AssistantTestCall" },
);

export const TrialShape = Type.Object(
  {
    object: OneOf(["assistant_test"]),
    provider: OneOf(PROVIDERS),
    prompt: Type.Object(
      {
        system: Sample("You are the assistant of a company's integration platform."),
        user: Sample('{"event":"ticket.created","data":{"subject":"Where is my order?"}}'),
        tools: Type.Array(Sample("crm.note"), { description: "The actions that it was offered." }),
      },
      { title: "AssistantPrompt", description: "All that the model was told; secrets are gone." },
    ),
    status: OneOf(["ok", "failed"]),
    error_code: Nullable(Sample("provider_timeout")),
    response: Nullable(Sample("A note helps.", { description: "What the model said, or why it could not be asked." })),
    calls: Type.Array(TriedCall),
    duration_ms: Type.Integer({ examples: [812] }),
    history_id: WireId("air"),
  },
  { title: "AssistantTestResult" },
);
