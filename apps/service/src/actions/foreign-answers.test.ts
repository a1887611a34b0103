import { afterAll, beforeAll, expect, test } from "vitest";
import { hide, parseJson, systemClock } from "../lib/lib.ts";
import type { Id, Uuid } from "../lib/lib.ts";
import { STUBBORN, startStranger } from "../testing/foreign-answers.ts";
import type { Stranger } from "../testing/foreign-answers.ts";
import { createSlackApi } from "./approval-channels/slack-api.ts";
import { createAccessTokens } from "../platform/outbound-http/outbound-http.ts";
import { sendCall } from "../http-calls/http-calls.ts";
import { callOnce } from "./testing/backend.ts";

let stranger: Stranger;
beforeAll(async () => {
  stranger = await startStranger();
});
afterAll(async () => await stranger.close());

const MINUTES = 120_000;

const scope = { workspaceId: "w" as Uuid, tag: "tag" as never, bucket: 0, environment: "live" } as const;
const auth = { type: "oauth2_client_credentials", token_url: "", client_id: "c", secret_ref: "s" } as const;
const call = (more: object): string =>
  JSON.stringify({
    method: "POST",
    url: `${stranger.origin}/api`,
    headers: {},
    content_type: null,
    body: null,
    expose: null,
    auth: null,
    ...more,
  });

function sendDeps(): Parameters<typeof sendCall>[0] {
  return {
    clock: systemClock,
    net: stranger.net,
    tokens: createAccessTokens({ net: stranger.net, clock: systemClock }),
    inboxes: { addressOf: async (_scope, url) => await Promise.resolve(url) },
    secretFor: async () => await Promise.resolve(hide("secret")),
  };
}

test("a hostile value becomes neither a text nor a number", () => {
  expect(() => String(parseJson(STUBBORN))).toThrow(TypeError);
  expect(() => Number(parseJson(STUBBORN))).toThrow(TypeError);
});

test(
  "no answer makes the reader of access tokens throw",
  async () => {
    await stranger.withstood(
      async () =>
        await createAccessTokens({ net: stranger.net, clock: systemClock }).token({
          tag: scope.tag,
          auth: { ...auth, token_url: `${stranger.origin}/token` },
          secret: hide("secret"),
        }),
    );
  },
  MINUTES,
);

test(
  "no answer makes the reader of HTTP calls throw",
  async () => {
    await stranger.withstood(async () => {
      for (const expose of [null, ["a", "error"]])
        await sendCall(sendDeps(), {
          scope,
          text: call({ expose }),
          id: "call_x" as Id,
          by: null,
          signing: async () => await Promise.resolve([]),
        });
    });
  },
  MINUTES,
);

test(
  "no answer makes the reader of HTTP calls with an access token throw",
  async () => {
    await stranger.withstood(async () => {
      const text = call({ auth: { ...auth, token_url: `${stranger.origin}/token` } });
      const tried = await sendCall(sendDeps(), {
        scope,
        text,
        id: "call_x" as Id,
        by: null,
        signing: async () => await Promise.resolve([]),
      });
      expect(typeof tried.isDone).toBe("boolean");
    });
  },
  MINUTES,
);

test(
  "no answer makes the reader of backends of actions throw",
  async () => {
    await stranger.withstood(async () => {
      for (const more of [
        {},
        { response: { json: false, error_path: "$.error", success_when: { path: "$.ok", equals: true } } },
      ])
        await callOnce({ endpoint: `${stranger.origin}/act`, ...more }, { net: stranger.net });
    });
  },
  MINUTES,
);

test(
  "no answer makes the reader of Slack throw",
  async () => {
    await stranger.withstood(async () => {
      const api = createSlackApi({ net: stranger.net, clock: systemClock, slackApiUrl: stranger.origin });
      expect(typeof (await api.call(hide("xoxb"), "auth.test", {})).ok).toBe("boolean");
    });
  },
  MINUTES,
);
