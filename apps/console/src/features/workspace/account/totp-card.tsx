import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useSession } from "../../../session/session.ts";
import { AuthenticatorCode, useStepUp } from "../../../shared/shared.ts";
import { Button, Card, Form, SecretOnce, StatusLight, TextField, toastSuccess } from "../../../ui/ui.ts";
import { AccountName } from "./account-name.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

/** The second factor: begun with the password, counted once a code of the app was right. */
export function TotpCard() {
  const { member } = useSession();
  const [enrolled, setEnrolled] = useState<wire.TotpSecret | null>(null);
  const [recovery, setRecovery] = useState<readonly string[] | null>(null);
  return (
    <Card
      title="Authenticator app"
      description="Sign in with your password and a code from an authenticator app."
      stacked
    >
      <StatusLight tone={member.totp_active ? "good" : "neutral"}>{member.totp_active ? "On" : "Off"}</StatusLight>
      {recovery === null ? null : (
        <RecoveryCodes
          label="Recovery codes"
          codes={recovery}
          doneLabel="I have saved the codes"
          onDone={() => setRecovery(null)}
        >
          You can use each code once instead of the authenticator app. Store the codes separately from your phone.
        </RecoveryCodes>
      )}
      {recovery === null && member.totp_active ? <Disable /> : null}
      {recovery === null && !member.totp_active && enrolled === null ? <Enrol onEnrolled={setEnrolled} /> : null}
      {enrolled === null ? null : (
        <Verify
          secret={enrolled}
          onVerified={(codes) => {
            setEnrolled(null);
            setRecovery(codes);
          }}
        />
      )}
    </Card>
  );
}

function Enrol({ onEnrolled }: { readonly onEnrolled: (secret: wire.TotpSecret) => void }) {
  const [password, setPassword] = useState("");
  const enrol = useWrite("auth.totp.enrol");
  const { member } = useSession();
  const stepUp = useStepUp();
  const send = (): void =>
    enrol.mutate(
      { body: password === "" ? {} : { password } },
      { onSuccess: onEnrolled, onError: stepUp.orProve({ operation: "auth.totp.enrol" }, send) },
    );
  return (
    <Form onSubmit={send} error={enrol.error} label="Set up two-factor authentication">
      {stepUp.dialog}
      <AccountName />
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        isRequired={!member.passkey_active}
        value={password}
        onChange={setPassword}
      />
      <div>
        <Button type="submit" isPending={enrol.isPending}>
          Set up authenticator
        </Button>
      </div>
    </Form>
  );
}

interface VerifyProps {
  readonly secret: wire.TotpSecret;
  readonly onVerified: (codes: readonly string[]) => void;
}

function Verify({ secret, onVerified }: VerifyProps) {
  const [code, setCode] = useState("");
  const verify = useWrite("auth.totp.verify", { refreshes: ["auth.session", "members."] });
  const submit = (): void =>
    verify.mutate({ body: { code: code.trim() } }, { onSuccess: ({ recovery_codes: codes }) => onVerified(codes) });
  return (
    <>
      <p className="text-muted">
        Enter this secret in your authenticator app, or open{" "}
        <a href={secret.otpauth_url} className="text-accent underline">
          the setup link
        </a>{" "}
        on your phone.
      </p>
      <SecretOnce label="Authenticator secret" secret={secret.secret} />
      <Form onSubmit={submit} error={verify.error} label="Confirm two-factor authentication">
        <AuthenticatorCode value={code} onChange={setCode} />
        <div>
          <Button type="submit" variant="primary" isPending={verify.isPending}>
            Confirm code
          </Button>
        </div>
      </Form>
    </>
  );
}

function Disable() {
  const [code, setCode] = useState("");
  const disable = useWrite("auth.totp.disable", { refreshes: ["auth.session", "members."] });
  const submit = (): void =>
    disable.mutate({ body: { code: code.trim() } }, toastSuccess("Two-factor authentication turned off."));
  return (
    <Form onSubmit={submit} error={disable.error} label="Turn off two-factor authentication">
      <TextField
        label="Authenticator or recovery code"
        autoComplete="one-time-code"
        isRequired
        mono
        value={code}
        onChange={setCode}
      />
      <div>
        <Button type="submit" isPending={disable.isPending}>
          Turn off two-factor authentication
        </Button>
      </div>
    </Form>
  );
}
