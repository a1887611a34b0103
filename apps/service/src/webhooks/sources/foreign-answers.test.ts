import { afterAll, beforeAll, expect, test } from "vitest";
import { SignJWT } from "jose";
import { hide, systemClock } from "../../lib/lib.ts";
import { startStranger } from "../../testing/foreign-answers.ts";
import type { Stranger } from "../../testing/foreign-answers.ts";
import { createVerifier } from "./verifier.ts";

let stranger: Stranger;
beforeAll(async () => {
  stranger = await startStranger();
});
afterAll(async () => await stranger.close());

const MINUTES = 120_000;

test(
  "no answer makes the reader of keys of senders throw",
  async () => {
    await stranger.withstood(async () => {
      const token = await new SignJWT({ sub: "x" })
        .setProtectedHeader({ alg: "HS256", kid: "k" })
        .sign(Buffer.alloc(32));
      for (const signed of [
        token,
        token.replace(/^[^.]+/, Buffer.from('{"alg":"RS256","kid":"k"}').toString("base64url")),
      ]) {
        const verifier = createVerifier({ net: stranger.here, clock: systemClock });
        const scheme = {
          kind: "jwt",
          header: "a",
          algorithms: ["RS256", "ES256", "EdDSA"],
          jwks_url: "https://a.example/jwks",
        };
        const header = (): string => signed;
        expect(["invalid", "undecided"]).toContain(
          await verifier.verify(scheme as never, [], {
            header,
            body: Buffer.alloc(0),
            url: "https://a.example/",
          } as never),
        );
      }
    });
  },
  MINUTES,
);

test(
  "no answer makes the reader of certificates of SNS throw",
  async () => {
    await stranger.withstood(async () => {
      const message = {
        Type: "Notification",
        SignatureVersion: "2",
        Signature: "AAAA",
        TopicArn: "arn",
        SigningCertURL: "https://sns.eu-west-1.amazonaws.com/x.pem",
      };
      const read = { value: message };
      const verifier = createVerifier({ net: stranger.here, clock: systemClock });
      const verdict = await verifier.verify({ kind: "sns" } as never, [hide("arn")], {
        head: () => read,
        json: async () => await Promise.resolve(read),
        header: () => undefined,
      } as never);
      expect(["invalid", "undecided"]).toContain(verdict);
    });
  },
  MINUTES,
);
