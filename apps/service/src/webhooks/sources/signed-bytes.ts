import { codingsOf, createTurns, KNOWN_CODINGS, ServiceError, undoCoding } from "../../lib/lib.ts";
import { MAX_BODY_BYTES } from "./placeholders.ts";
import type { Header } from "./placeholders.ts";
import type { Scheme } from "./scheme.ts";

/** A body with its headers, as sent or after its coding was undone. */
export interface CodedBody {
  readonly body: Buffer;
  readonly header: Header;
}

/** Why a body of which the scheme signs what is inside of its coding cannot be judged. */
export interface Unjudged {
  readonly code: "unsupported_media_type" | "signature_invalid";
  readonly reason: string;
}

/**
 * Anyone who knows the URL can have such a body inflated, so that it may become 100 times its size at most, and of one source only two
 * are inflated at a time.
 */
const LIMITS = { maxBytes: MAX_BODY_BYTES, maxRatio: 100 };
const turns = createTurns({
  most: 2,
  patienceMs: 5000,
  late: () => new ServiceError("service_unavailable", { headers: { "Retry-After": "1" } }),
});

/** The headers of the response to a coding that is not known (RFC 9110, section 15.5.16). */
export const CODINGS_ACCEPTED = { "Accept-Encoding": KNOWN_CODINGS };

/** Returns a body with the bytes that the scheme signs: as sent, or without their coding. */
export async function signedBytes(scheme: Scheme, sent: CodedBody, sourceId: string): Promise<CodedBody | Unjudged> {
  const coding = sent.header("content-encoding") ?? "";
  const isPlain = "over" in scheme && scheme.over === "plain" && codingsOf(coding).length > 0;
  if (!isPlain) return sent;
  const end = await turns.take(sourceId);
  try {
    const result = await undoCoding(sent.body, coding, LIMITS);
    if (result.kind === "unknown") return { code: "unsupported_media_type", reason: unknownCoding(coding) };
    if (result.kind === "broken")
      return {
        code: "signature_invalid",
        reason: `The signature is over the body without its coding, which is not valid ${result.coding}`,
      };
    return { body: result.body, header: (name) => (name === "content-encoding" ? undefined : sent.header(name)) };
  } finally {
    end();
  }
}

export function unknownCoding(coding: string): string {
  return `The Content-Encoding ${JSON.stringify(coding.trim().slice(0, 100).toWellFormed())} is not known`;
}
