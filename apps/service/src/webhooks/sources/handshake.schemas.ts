import { HEADER_NAME, t } from "../../lib/lib.ts";
import type { Handshake } from "./handshake.ts";

export const MAX_HANDSHAKES = 10;
const MAX_CONDITIONS = 10;
const Placeholders = "{query:name}, {header:Name} and {body:$.path} are values of the request.";

const HandshakeConditions = t.Object(
  {
    query: t.Optional(
      t.Array(t.StringExample("challenge", { minLength: 1, maxLength: 100 }), {
        maxItems: MAX_CONDITIONS,
        description: "The parameters that the URL contains.",
      }),
    ),
    header: t.Optional(
      t.Array(t.StringExample("WebHook-Request-Origin", { maxLength: 100, pattern: HEADER_NAME.source }), {
        maxItems: MAX_CONDITIONS,
        description: "The headers that the request has.",
      }),
    ),
    body: t.Optional(
      t.Unsafe<Readonly<Record<string, string | number | boolean | null>>>({
        type: "object",
        maxProperties: MAX_CONDITIONS,
        additionalProperties: {},
        description: "The texts, numbers and Booleans of the body by path. With null, any value.",
        examples: [{ "$.type": "url_verification" }],
      }),
    ),
  },
  {
    ...t.strict,
    title: "HandshakeConditions",
    description:
      "The parts that the request has. Of an unsigned request, at most the first 4 KiB of a JSON object or a form are read.",
  },
);

const HandshakeSignature = t.Object(
  {
    of: t.StringExample("{query:crc_token}", {
      minLength: 1,
      maxLength: 600,
      description:
        "The value that is signed with the source's secret: one of {query:name}, {header:Name} and {body:$.path}.",
    }),
    algorithm: t.OneOf(["sha256"]),
    encoding: t.OneOf(["hex", "base64"]),
  },
  { ...t.strict, title: "HandshakeSignature", description: "A signature that the answer contains as {hmac}." },
);

const HandshakeAnswer = t.Object(
  {
    status: t.Unsafe<number>({ type: "integer", enum: [200, 201, 202, 204], examples: [200] }),
    content_type: t.OneOf(["application/json", "text/plain"]),
    body: t.StringExample("{query:challenge}", { maxLength: 4096, description: Placeholders }),
    headers: t.Optional(
      t.Unsafe<Readonly<Record<string, string>>>({
        type: "object",
        maxProperties: 5,
        additionalProperties: { type: "string", minLength: 1, maxLength: 256 },
        description: `Headers whose names begin with WebHook-Allowed-. ${Placeholders} A header without a value is left out.`,
        examples: [{ "WebHook-Allowed-Origin": "{header:WebHook-Request-Origin}" }],
      }),
    ),
  },
  { ...t.strict, title: "HandshakeAnswer" },
);

/** A handshake of a source. Confirmations that visit an address are available to senders of the service only. */
export const HandshakeShape = t.Unsafe<Handshake>(
  t.Object(
    {
      method: t.OneOf(
        ["GET", "HEAD", "OPTIONS", "POST"],
        "The method of the request. GET and HEAD include each other.",
      ),
      when: HandshakeConditions,
      signed: t.Boolean({
        description: "Whether the sender signs this request as its events. Only a POST can be signed.",
      }),
      hmac: t.Optional(HandshakeSignature),
      answer: HandshakeAnswer,
    },
    {
      ...t.strict,
      title: "Handshake",
      description: "A request with which the sender checks the URL. The service answers it, and fires nothing.",
      examples: [
        {
          method: "GET",
          when: { query: ["challenge"] },
          signed: false,
          answer: { status: 200, content_type: "text/plain", body: "{query:challenge}" },
        },
      ],
    },
  ),
);
