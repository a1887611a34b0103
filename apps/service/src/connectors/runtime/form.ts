import { Ajv } from "ajv";
import { HostError } from "../sandbox/hosts.ts";
import { once } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Json } from "../../lib/lib.ts";

/** Accepts any text as a date-time, because the code that uses it parses it. */
const ajv = new Ajv({ strict: false, formats: { "date-time": true } });

/** Returns a reader of a service's argument. The reader throws HostError `invalid` with the first fault. */
export function formOf<Schema extends t.TSchema>(
  schema: Schema,
  service: string,
): (value: Json | undefined) => t.Static<Schema> {
  const form = once(() => ajv.compile(schema as object));
  return (value) => {
    const isOfForm = form();
    if (isOfForm(value)) return value as t.Static<Schema>;
    const [fault] = isOfForm.errors ?? [];
    const where = fault?.instancePath === "" || fault === undefined ? "what it was given" : fault.instancePath.slice(1);
    const extra =
      fault?.keyword === "additionalProperties" ? ` (${String(fault.params["additionalProperty"]).slice(0, 60)})` : "";
    throw new HostError(
      "invalid",
      `${service}: ${where} ${fault?.message ?? "does not have the required form"}${extra}.`,
    );
  };
}
