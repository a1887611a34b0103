import { afterAll, beforeAll, test } from "vitest";
import { systemClock } from "../../lib/lib.ts";
import { named, startStranger } from "../../testing/foreign-answers.ts";
import type { Stranger } from "../../testing/foreign-answers.ts";
import { createIssuer } from "./issuer.ts";
import { createIssuerFetch } from "./issuer-fetch.ts";
import { OidcRefusal } from "./oidc-refusal.ts";

let stranger: Stranger;
beforeAll(async () => {
  stranger = await startStranger();
});
afterAll(async () => await stranger.close());

const MINUTES = 120_000;

test(
  "no answer makes the reader of the issuer throw",
  async () => {
    await stranger.withstood(async () => {
      const settings = { issuer: stranger.origin, clientId: "c", clientSecret: "s", groups: {}, groupsClaim: "groups" };
      const own = createIssuerFetch(stranger.origin, stranger.net, { clock: systemClock, dnsServers: null });
      try {
        const issuer = createIssuer({
          settings,
          clock: systemClock,
          fetch: own.fetch,
          redirectUri: `${stranger.origin}/back`,
        });
        const binding = { state: "s".repeat(32), nonce: "n".repeat(32), verifier: "v".repeat(43) };
        await named(OidcRefusal, async () => await issuer.authorizationUrl(binding));
        await named(
          OidcRefusal,
          async () => await issuer.redeem(new URLSearchParams({ code: "c", state: binding.state }), binding),
        );
        await named(OidcRefusal, async () => await issuer.logoutOf("a.b.c"));
      } finally {
        await own.close();
      }
    });
  },
  MINUTES,
);
