import { isRecord, JsonError, locate, parseJson, readPath, scanJson, ServiceError, sha256 } from "../../lib/lib.ts";
import type { Version } from "../registry/connectors.ts";

/** Returns a header's value by its lower-case name. */
export type Header = (name: string) => string | undefined;

/** A webhook as it is stored. */
export interface ReadWebhook {
  /** JSON text. */
  readonly body: string;
  readonly dedupe: Buffer;
}

/**
 * Returns the body that connectors receive: the original JSON, or the fields of a form. Throws 400 `malformed_json` for
 * other content.
 */
export function readWebhook(
  { description }: Pick<Version, "description">,
  { body, header }: { readonly body: Buffer; readonly header: Header },
): ReadWebhook {
  const text = textOf(body, header("content-type"));
  const named = description.webhook?.delivery_id;
  const id = named === undefined ? undefined : idOf(named, text, header);
  return { body: text, dedupe: sha256(id === undefined ? Buffer.concat([Buffer.from("body\n"), body]) : `id\n${id}`) };
}

function textOf(body: Buffer, contentType = ""): string {
  if (contentType.split(";")[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded")
    return JSON.stringify(Object.fromEntries(new URLSearchParams(body.toString("utf8"))));
  try {
    const { value, text } = scanJson(body);
    if (isRecord(value) || Array.isArray(value)) return text;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ServiceError("malformed_json", { detail: error.message });
  }
  throw new ServiceError("malformed_json", { detail: "The body must be a JSON object, a JSON array, or a form." });
}

/** Returns the delivery's id from `header:<name>` or from a path in the body. */
function idOf(named: string, text: string, header: Header): string | undefined {
  if (named.startsWith("header:")) return header(named.slice("header:".length).toLowerCase());
  const steps = readPath(named)?.steps;
  const found = steps === undefined ? undefined : locate(parseJson(text), steps)?.value;
  return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
}
