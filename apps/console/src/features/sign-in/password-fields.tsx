import { TextField } from "../../ui/ui.ts";

export interface PasswordFieldsProps {
  readonly email: string;
  readonly password: string;
  readonly onChange: (part: { readonly email: string } | { readonly password: string }) => void;
}

/** The first step of signing in. */
export function PasswordFields({ email, password, onChange }: PasswordFieldsProps) {
  return (
    <>
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        isRequired
        autoFocus
        value={email}
        onChange={(value) => onChange({ email: value })}
      />
      <TextField
        label="Password"
        type="password"
        name="password"
        autoComplete="current-password"
        isRequired
        value={password}
        onChange={(value) => onChange({ password: value })}
      />
    </>
  );
}
