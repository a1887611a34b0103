import { CodeBlock, prettyJson } from "../ui/ui.ts";

/** A value as the API has it; what is nothing says so in words. */
export function JsonBlock({
  label,
  value,
  empty = "None.",
}: {
  readonly label: string;
  readonly value: unknown;
  readonly empty?: string;
}) {
  if (value === null || value === undefined) return <p className="text-sm text-muted">{empty}</p>;
  return <CodeBlock label={label} text={prettyJson(JSON.stringify(value))} />;
}
