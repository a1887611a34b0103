import type { wire } from "../../api/api.ts";
import { TextField } from "../../ui/ui.ts";
import { isGivenBySender } from "./senders.ts";

export interface SecretFieldProps {
  /** Null for a system that is not in the list of senders. */
  readonly sender: wire.Sender | null;
  readonly value: string;
  readonly onChange: (secret: string) => void;
  readonly error: string | undefined;
}

/** The secret of a new source, in the sender's own words. */
export function SecretField({ sender, value, onChange, error }: SecretFieldProps) {
  const isPublic = sender !== null && isGivenBySender(sender.scheme);
  return (
    <TextField
      label={sender?.secret.label ?? "Secret"}
      description={hintOf(sender, isPublic)}
      type={isPublic ? "text" : "password"}
      mono={isPublic}
      isRequired={isPublic}
      autoComplete="off"
      spellCheck="false"
      value={value}
      onChange={onChange}
      error={error}
    />
  );
}

function hintOf(sender: wire.Sender | null, isPublic: boolean): string {
  if (sender === null) return "Enter the secret that the sender gave you. Leave empty to generate a secret.";
  const { title, secret } = sender;
  if (isPublic) return `Paste the ${secret.label} from ${title}. The source uses it to check signatures.`;
  if (secret.given_by === "sender") return `Paste the ${secret.label} from ${title}, or add it later.`;
  return `Leave empty to generate a secret, which you then enter in ${title}.`;
}
