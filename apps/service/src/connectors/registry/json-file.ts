import { Ajv } from "ajv";
import type { ValidateFunction } from "ajv";
import { JsonError, scanJson } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import { ConnectorRefusedError } from "./version-refusal.ts";
import type { RefusalCode } from "./version-refusal.ts";

const MAX_JSON_BYTES = 256 * 1024;
const ajv = new Ajv({ strict: false, discriminator: true });
const compiled = new Map<t.TSchema, ValidateFunction>();

/**
 * Returns the value of a JSON file that matches the schema. Throws ConnectorRefusedError with the code and the pointer
 * of the first fault.
 */
export function readJsonFile<Schema extends t.TSchema>(
  bytes: Buffer,
  schema: Schema,
  { code, path }: { readonly code: RefusalCode; readonly path: string },
): t.Static<Schema> {
  const value = parseFile(bytes, code, path);
  const isOfForm = compiled.get(schema) ?? ajv.compile(schema as object);
  compiled.set(schema, isOfForm);
  if (isOfForm(value)) return value as t.Static<Schema>;
  const [fault] = isOfForm.errors ?? [];
  const extra =
    fault?.keyword === "additionalProperties" ? `: ${String(fault.params["additionalProperty"]).slice(0, 60)}` : "";
  throw new ConnectorRefusedError(
    code,
    `${path} is not valid: ${fault?.message ?? "does not have the required form"}${extra}.`,
    `${path}#${fault?.instancePath ?? ""}`,
  );
}

/** Returns the value of a JSON file. Throws ConnectorRefusedError with the code. */
export function parseFile(bytes: Buffer, code: RefusalCode, path: string): unknown {
  if (bytes.length > MAX_JSON_BYTES)
    throw new ConnectorRefusedError("too_large", `${path} is too large. The maximum is ${MAX_JSON_BYTES} bytes.`, path);
  try {
    const { value } = scanJson(bytes);
    assertStorableText(value, code, path);
    return value;
  } catch (error) {
    if (error instanceof JsonError)
      throw new ConnectorRefusedError(code, error.message.replace("The body", path), path);
    throw error;
  }
}

/** Refuses text that cannot be stored or shown. */
function assertStorableText(value: unknown, code: RefusalCode, path: string): void {
  if (typeof value === "string" && (!value.isWellFormed() || value.includes("\u0000")))
    throw new ConnectorRefusedError(code, `${path} contains text with NUL or a lone surrogate.`, path);
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    assertStorableText(name, code, path);
    assertStorableText(member, code, path);
  }
}
