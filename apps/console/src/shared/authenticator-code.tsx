import { TextField } from "../ui/ui.ts";

interface AuthenticatorCodeProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The field for the six digits of an authenticator app. */
export function AuthenticatorCode({ value, onChange }: AuthenticatorCodeProps) {
  return (
    <TextField
      label="Authenticator code"
      autoComplete="one-time-code"
      inputMode="numeric"
      isRequired
      autoFocus
      mono
      value={value}
      onChange={onChange}
    />
  );
}
