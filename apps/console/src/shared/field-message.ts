import { ApiProblem } from "../api/api.ts";

/** Returns the service's message about one field, or about a value within it; undefined without a message. */
export function fieldMessage(error: unknown, pointer: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  // This refusal is the only one of a field that does not name the field.
  if (error.code === "url_blocked" && pointer === "/url") return error.message;
  const found = error.fields.filter((field) => field.pointer === pointer || field.pointer.startsWith(`${pointer}/`));
  if (found.length === 0) return undefined;
  return found.map((field) => `${placeOf(field.pointer, pointer)}${sentence(field.message)}`).join(" ");
}

/** Returns the error if it says something that no field does, and null otherwise. */
export function outsideFields(error: unknown, pointers: readonly string[]): unknown {
  return pointers.every((pointer) => fieldMessage(error, pointer) === undefined) ? error : null;
}

function placeOf(pointer: string, field: string): string {
  const place = pointer.slice(field.length + 1);
  if (place === "") return "";
  return /^\d+$/.test(place) ? `Item ${Number(place) + 1}: ` : `${place.replaceAll("~1", "/")}: `;
}

function sentence(message: string): string {
  const text = message.slice(0, 1).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
