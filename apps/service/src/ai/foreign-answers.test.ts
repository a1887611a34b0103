import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../lib/lib.ts";
import { named, startStranger } from "../testing/foreign-answers.ts";
import type { Stranger } from "../testing/foreign-answers.ts";
import { createOpenAi } from "./assistant/openai.ts";
import { createClientDocuments } from "./oauth/client-documents.ts";
import { OAuthError } from "./oauth/oauth-error.ts";

let stranger: Stranger;
beforeAll(async () => {
  stranger = await startStranger();
});
afterAll(async () => await stranger.close());

const MINUTES = 120_000;

test(
  "no answer makes the reader of the assistant's provider throw",
  async () => {
    await stranger.withstood(async () => {
      const settings = { baseUrl: `${stranger.origin}/v1`, model: "m", apiKey: null };
      const said = await createOpenAi(stranger.net, settings).ask({ system: "s", user: "u", offers: [] } as never);
      expect(typeof said.ok).toBe("boolean");
    });
  },
  MINUTES,
);

test(
  "no answer makes the reader of documents of clients throw",
  async () => {
    await stranger.withstood(
      async () =>
        await named(
          OAuthError,
          async () =>
            await createClientDocuments({ net: stranger.here, clock: systemClock }).read("https://a.example/doc"),
        ),
    );
  },
  MINUTES,
);
