/** Returns the value of a field's text for a contract. A text that is not a number is sent as it is, so that the service reports it. */
export function valueOf(type: string, text: string): unknown {
  if (type === "boolean") return text === "true";
  if (type !== "int" && type !== "number") return text;
  const value = Number(text);
  return text.trim() === "" || !Number.isFinite(value) ? text : value;
}
