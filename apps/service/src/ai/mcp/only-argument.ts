import { pointerOf, ServiceError } from "../../lib/lib.ts";
import { fault } from "./mcp-fault.ts";

/** Returns the text of the only argument that a tool has. Throws 422 `validation_failed` if it is missing, no text, or not alone. */
export function onlyArgument(given: Readonly<Record<string, unknown>>, wanted: string): string {
  const value = given[wanted];
  const errors = Object.keys(given)
    .filter((name) => name !== wanted)
    .map((name) => fault(pointerOf([name]), "unknown", "is not an argument of this tool"));
  if (value === undefined) errors.push(fault(pointerOf([wanted]), "required", "is required"));
  else if (typeof value !== "string") errors.push(fault(pointerOf([wanted]), "type", "must be string"));
  if (typeof value !== "string" || errors.length > 0) throw new ServiceError("validation_failed", { errors });
  return value;
}
