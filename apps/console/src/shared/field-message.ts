import { ApiProblem } from "../api/api.ts";

/** What the service says of one field, or of what is within it; undefined where it says nothing. */
export function problemAt(error: unknown, pointer: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  // The one refusal of a field that names none.
  if (error.code === "url_blocked" && pointer === "/url") return error.message;
  const found = error.fields.filter((field) => field.pointer === pointer || field.pointer.startsWith(`${pointer}/`));
  if (found.length === 0) return undefined;
  return found.map((field) => `${placeOf(field.pointer, pointer)}${sentence(field.message)}`).join(" ");
}

/** Whether the error says anything that no field does. */
export function isOutsideFields(error: unknown, pointers: readonly string[]): boolean {
  return error !== null && pointers.every((pointer) => problemAt(error, pointer) === undefined);
}

function placeOf(pointer: string, field: string): string {
  const place = pointer.slice(field.length + 1);
  if (place === "") return "";
  return /^\d+$/.test(place) ? `Number ${Number(place) + 1}: ` : `${place.replaceAll("~1", "/")}: `;
}

function sentence(message: string): string {
  const text = message.slice(0, 1).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
