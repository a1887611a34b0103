import { HEADER_NAME, OneOf, strict, StringExample, Type } from "../../lib/lib.ts";
import type { Handshake } from "./handshake.ts";

export const MAX_HANDSHAKES = 10;
const MAX_CONDITIONS = 10;
const Placeholders = "{query:name}, {header:Name} and {body:$.path} are values of the request.";

const HandshakeConditions = Type.Object(
  {
    query: Type.Optional(
      Type.Array(StringExample("challenge", { minLength: 1, maxLength: 100 }), {
        maxItems: MAX_CONDITIONS,
        description: "The parameters that the URL contains.",
      }),
    ),
    header: Type.Optional(
      Type.Array(StringExample("WebHook-Request-Origin", { maxLength: 100, pattern: HEADER_NAME.source }), {
        maxItems: MAX_CONDITIONS,
        description: "The headers that the request has.",
      }),
    ),
    body: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string | number | boolean | null>>>({
        type: "object",
        maxProperties: MAX_CONDITIONS,
        additionalProperties: {},
        description: "The texts, numbers and Booleans of the body by path. With null, any value.",
        examples: [{ "$.type": "url_verification" }],
      }),
    ),
  },
  {
    ...strict,
    title: "HandshakeConditions",
    description:
      "The parts that the request has. Of an unsigned request, at most the first 4 KiB of a JSON object or a form are read.",
  },
);

const HandshakeSignature = Type.Object(
  {
    of: StringExample("{query:crc_token}", {
      minLength: 1,
      maxLength: 600,
      description:
        "The value that is signed with the source's secret: one of {query:name}, {header:Name} and {body:$.path}.",
    }),
    algorithm: OneOf(["sha256"]),
    encoding: OneOf(["hex", "base64"]),
  },
  { ...strict, title: "HandshakeSignature", description: "A signature that the answer contains as {hmac}." },
);

const HandshakeAnswer = Type.Object(
  {
    status: Type.Unsafe<number>({ type: "integer", enum: [200, 201, 202, 204], examples: [200] }),
    content_type: OneOf(["application/json", "text/plain"]),
    body: StringExample("{query:challenge}", { maxLength: 4096, description: Placeholders }),
    headers: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>({
        type: "object",
        maxProperties: 5,
        additionalProperties: { type: "string", minLength: 1, maxLength: 256 },
        description: `Headers whose names begin with WebHook-Allowed-. ${Placeholders} A header without a value is left out.`,
        examples: [{ "WebHook-Allowed-Origin": "{header:WebHook-Request-Origin}" }],
      }),
    ),
  },
  { ...strict, title: "HandshakeAnswer" },
);

/** A handshake of a source. Confirmations that visit an address are available to senders of the service only. */
export const HandshakeShape = Type.Unsafe<Handshake>(
  Type.Object(
    {
      method: OneOf(["GET", "HEAD", "OPTIONS", "POST"], "The method of the request. GET and HEAD include each other."),
      when: HandshakeConditions,
      signed: Type.Boolean({
        description: "Whether the sender signs this request as its events. Only a POST can be signed.",
      }),
      hmac: Type.Optional(HandshakeSignature),
      answer: HandshakeAnswer,
    },
    {
      ...strict,
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
