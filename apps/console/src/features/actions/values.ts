/** What a field's text means to a contract. A text that is no number is sent as it is, for the service to say what is wrong. */
export function valueOf(type: string, text: string): unknown {
  if (type === "boolean") return text === "true";
  if (type !== "int" && type !== "number") return text;
  const value = Number(text);
  return text.trim() === "" || !Number.isFinite(value) ? text : value;
}
