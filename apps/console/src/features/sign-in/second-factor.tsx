import { isProblem } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { Button, TextField } from "../../ui/ui.ts";

/** The second factors that the service asks for after the password. */
export interface FactorAsk {
  readonly hasApp: boolean;
  /** Null if the person has no passkey that works here. */
  readonly passkey: wire.StepUpPasskeyRequest | null;
}

/** Returns what a refused sign-in asks for; undefined if it was refused for another reason. */
export function factorAskOf(error: unknown): FactorAsk | undefined {
  if (!isProblem(error, "totp_required")) return undefined;
  const factors = error.document?.["second_factors"];
  const passkey = error.document?.["passkey_request"];
  const named = Array.isArray(factors) ? (factors as readonly string[]) : ["totp"];
  return { hasApp: named.includes("totp"), passkey: (passkey ?? null) as FactorAsk["passkey"] };
}

interface SecondFactorProps {
  readonly ask: FactorAsk;
  readonly code: string;
  readonly onCode: (code: string) => void;
  readonly onPasskey: () => void;
  readonly isPending: boolean;
}

/** Offers the second factors of a person: a passkey, and a code of the app or a recovery code. */
export function SecondFactor({ ask, code, onCode, onPasskey, isPending }: SecondFactorProps) {
  const hasPasskey = ask.passkey !== null;
  return (
    <>
      {hasPasskey ? (
        <Button variant="primary" autoFocus isPending={isPending} onPress={onPasskey}>
          Use your passkey
        </Button>
      ) : null}
      <TextField
        key="code"
        label={ask.hasApp ? "Code" : "Recovery code"}
        name="code"
        autoComplete="one-time-code"
        isRequired
        autoFocus={!hasPasskey}
        mono
        value={code}
        onChange={onCode}
      />
    </>
  );
}

/** Explains the second step to the person. */
export function secondFactorText({ hasApp, passkey }: FactorAsk): string {
  const code = hasApp ? "the six-digit code from your authenticator app, or a recovery code" : "a recovery code";
  return passkey === null ? `Enter ${code}.` : `Use your passkey, or enter ${code}.`;
}
