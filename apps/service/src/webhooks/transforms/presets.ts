/** A template for the body that a common receiver expects. It is data, to be copied and adapted. */
export interface TransformPreset {
  readonly key: string;
  readonly title: string;
  readonly description: string;
  readonly transform: {
    readonly kind: "template";
    readonly method?: "POST" | "PUT" | "PATCH";
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: object;
  };
}

/** Values of the event stand only where a receiver does not read them as markup, so that they cannot mention people. */
export const TRANSFORM_PRESETS: readonly TransformPreset[] = [
  {
    key: "slack",
    title: "Slack",
    description: "A message for a Slack incoming webhook.",
    transform: {
      kind: "template",
      body: {
        text: "New event",
        blocks: [
          { type: "section", text: { type: "plain_text", text: "${$.event}" } },
          { type: "context", elements: [{ type: "plain_text", text: "${$.id} · ${$.timestamp}" }] },
        ],
      },
    },
  },
  {
    key: "teams",
    title: "Microsoft Teams",
    description: "An Adaptive Card for a workflow of Microsoft Teams that starts with a webhook.",
    transform: {
      kind: "template",
      body: {
        type: "message",
        attachments: [
          {
            contentType: "application/vnd.microsoft.card.adaptive",
            contentUrl: null,
            content: {
              $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
              type: "AdaptiveCard",
              version: "1.4",
              body: [
                {
                  type: "FactSet",
                  facts: [
                    { title: "Event", value: "${$.event}" },
                    { title: "Id", value: "${$.id}" },
                    { title: "Time", value: "${$.timestamp}" },
                  ],
                },
              ],
            },
          },
        ],
      },
    },
  },
  {
    key: "discord",
    title: "Discord",
    description: "A message for a Discord webhook, without mentions.",
    transform: {
      kind: "template",
      body: {
        allowed_mentions: { parse: [] },
        embeds: [{ title: "${$.event}", footer: { text: "${$.id}" }, timestamp: "${$.timestamp}" }],
      },
    },
  },
  {
    key: "cloudevents",
    title: "CloudEvents 1.0",
    description: "The structured JSON format of CloudEvents. Replace `source` with a URI of your own.",
    transform: {
      kind: "template",
      headers: { "Content-Type": "application/cloudevents+json; charset=UTF-8" },
      body: {
        specversion: "1.0",
        id: "${$.id}",
        source: "/junction",
        type: "${$.event}",
        time: "${$.timestamp}",
        datacontenttype: "application/json",
        data: "${$.data}",
      },
    },
  },
];
