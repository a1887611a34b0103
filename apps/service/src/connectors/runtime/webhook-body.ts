import {
  isRecord,
  JsonError,
  locate,
  parseJson,
  readMediaType,
  readPath,
  requestForm,
  requestText,
  scanJson,
  ServiceError,
  sha256,
} from "../../lib/lib.ts";
import type { BodyHeaders } from "../../lib/lib.ts";
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
 * other content, and 415 for a body that is compressed or not in its character set.
 */
export function readWebhook(
  { description }: Pick<Version, "description">,
  { body, header }: { readonly body: Buffer; readonly header: Header },
): ReadWebhook {
  const headers = { "content-type": header("content-type"), "content-encoding": header("content-encoding") };
  const text = webhookBodyText(body, headers);
  const named = description.webhook?.delivery_id;
  const id = named === undefined ? undefined : idOf(named, text, header);
  return { body: text, dedupe: sha256(id === undefined ? Buffer.concat([Buffer.from("body\n"), body]) : `id\n${id}`) };
}

function webhookBodyText(body: Buffer, headers: BodyHeaders): string {
  if (readMediaType(headers["content-type"]).essence === "application/x-www-form-urlencoded")
    return JSON.stringify(fieldsOf(requestForm(body, headers)));
  const sent = requestText(body, headers);
  try {
    const { value, text } = scanJson(Buffer.from(sent));
    if (isRecord(value) || Array.isArray(value)) return text;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ServiceError("malformed_json", { detail: error.message });
  }
  throw new ServiceError("malformed_json", { detail: "The body must be a JSON object, a JSON array, or a form." });
}

/** Returns the fields of a form. One that is repeated is a list of its values, as in a source. */
function fieldsOf(form: URLSearchParams): object {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of form) {
    const before = fields.get(name);
    if (Array.isArray(before)) before.push(value);
    else fields.set(name, before === undefined ? value : [before, value]);
  }
  return Object.fromEntries(fields);
}

/** Returns the delivery's id from `header:<name>` or from a path in the body. */
function idOf(named: string, text: string, header: Header): string | undefined {
  if (named.startsWith("header:")) return header(named.slice("header:".length).toLowerCase());
  const steps = readPath(named)?.steps;
  const found = steps === undefined ? undefined : locate(parseJson(text), steps)?.value;
  return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
}
