import { ServiceError } from "../../lib/lib.ts";
import type { ScannedJson, Violation } from "../../lib/lib.ts";
import type { BodyWarning } from "./body.ts";
import { readPasted } from "./pasted-request.ts";
import { headerFrom, MAX_BODY_BYTES } from "./placeholders.ts";
import type { Header } from "./placeholders.ts";

/** A request to test a mapping with. */
export interface Trial {
  readonly body: Uint8Array;
  readonly header: Header;
  /** Faults of the request itself. */
  readonly warnings: readonly BodyWarning[];
}

/** The forms in which a request can be given: its body with or without `headers`, or the whole. */
const FORMS = ["payload", "body_base64", "request", "request_base64"] as const;

interface TrialInput {
  readonly payload?: unknown;
  readonly body_base64?: string;
  readonly request?: string;
  readonly request_base64?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `Buffer.from` would skip what is not base64. */
const BASE64 = /^(?<digits>[A-Za-z0-9+/]*)={0,2}$/;

/** Returns the request of a trial. `scanned` is the body of the call, whose numbers keep their digits. Throws 422 for a malformed one. */
export function trialOf(input: TrialInput, scanned: ScannedJson | null): Trial {
  const [form, other] = FORMS.filter((name) => input[name] !== undefined);
  if (form === undefined) throw refusal("", "required", `must have one of ${FORMS.join(", ")}`);
  if (other !== undefined) throw refusal(`/${other}`, "conflict", `must not be used together with ${form}`);
  const isWhole = form.startsWith("request");
  if (isWhole && input.headers !== undefined)
    throw refusal("/headers", "conflict", `must not be used together with ${form}, which has its own headers`);
  const bytes = bytesOf(form, input[form], scanned);
  if (!isWhole) return { body: bounded(form, bytes), header: headerFrom(input.headers ?? {}), warnings: [] };
  const read = readPasted(bytes);
  if ("fault" in read) throw refusal(`/${form}`, "request", read.fault);
  const { body, headers, warnings } = read;
  return { body: bounded(form, body), header: (name) => headers.get(name), warnings };
}

function bytesOf(form: (typeof FORMS)[number], value: unknown, scanned: ScannedJson | null): Buffer {
  // The source text of a payload, because parsing could change the digits of a number.
  if (typeof value !== "string") return Buffer.from(scanned?.slice([form]) ?? "");
  if (!form.endsWith("_base64")) return Buffer.from(value);
  // Tools break base64 into lines.
  const text = value.replaceAll(/\s+/g, "");
  const digits = BASE64.exec(text)?.groups?.["digits"];
  if (digits === undefined || digits.length % 4 === 1)
    throw refusal(`/${form}`, "base64", "must be bytes in base64, such as eyJpZCI6MX0=");
  return Buffer.from(digits, "base64");
}

function bounded(form: string, body: Uint8Array): Uint8Array {
  if (body.length <= MAX_BODY_BYTES) return body;
  throw refusal(`/${form}`, "too_large", "must have a body of at most 1 MiB, as a source takes");
}

function refusal(pointer: string, code: string, message: string): ServiceError {
  const errors: Violation[] = [{ pointer, code, message }];
  return new ServiceError("validation_failed", { errors });
}
