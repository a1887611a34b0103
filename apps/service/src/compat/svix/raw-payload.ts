import { isRecord, JsonError, scanJson, ServiceError } from "../../lib/lib.ts";

/**
 * Returns the text of a payload that is in the parameters of transformations: the library for Java sends every payload there, and the others
 * those of `messageInRaw`, with an empty `payload`. Undefined for parameters without one. Throws 422 for anything but a JSON object,
 * and for another type of content.
 */
export function rawPayloadOf(params: unknown): string | undefined {
  if (!isRecord(params)) return undefined;
  const { rawPayload: raw, headers } = params;
  if (raw === undefined || raw === null) return undefined;
  const type = isRecord(headers) ? headers["content-type"] : undefined;
  if (type !== undefined && !(typeof type === "string" && /^application\/json *(?:;|$)/i.test(type)))
    throw fault("/transformationsParams/headers/content-type", "must be application/json");
  const text = typeof raw === "string" ? objectText(raw) : undefined;
  if (text === undefined) throw fault("/transformationsParams/rawPayload", "must be the text of a JSON object");
  return text;
}

function objectText(raw: string): string | undefined {
  try {
    const { value, text } = scanJson(Buffer.from(raw));
    return isRecord(value) ? text : undefined;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function fault(pointer: string, message: string): ServiceError {
  return new ServiceError("validation_failed", { errors: [{ pointer, code: "type", message }] });
}
