import { useState } from "react";
import { useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useSession } from "../../../session/session.ts";
import { Button, Card, CodeBlock, Form, SecretOnce, StatusLight, TextField, toast } from "../../../ui/ui.ts";
import { AccountName } from "./account-name.tsx";

/** The second factor: begun with the password, counted once a code of the app was right. */
export function TotpCard() {
  const { member } = useSession();
  const [enrolled, setEnrolled] = useState<wire.TotpSecret | null>(null);
  const [recovery, setRecovery] = useState<readonly string[] | null>(null);
  return (
    <Card title="Second factor" description="A code of an app on your phone, beside the password.">
      <div className="flex flex-col gap-4">
        <StatusLight tone={member.totp_active ? "good" : "neutral"}>{member.totp_active ? "On" : "Off"}</StatusLight>
        {recovery === null ? null : <Recovery codes={recovery} onDone={() => setRecovery(null)} />}
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
      </div>
    </Card>
  );
}

function Enrol({ onEnrolled }: { readonly onEnrolled: (secret: wire.TotpSecret) => void }) {
  const [password, setPassword] = useState("");
  const enrol = useWrite("auth.totp.enrol");
  return (
    <Form
      onSubmit={() => enrol.mutate({ body: { password } }, { onSuccess: onEnrolled })}
      error={enrol.error}
      label="Begin with a second factor"
    >
      <AccountName />
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        isRequired
        value={password}
        onChange={setPassword}
      />
      <div>
        <Button type="submit" isPending={enrol.isPending}>
          Set it up
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
        Enter this secret in your app, or open{" "}
        <a href={secret.otpauth_url} className="text-accent underline">
          the link
        </a>{" "}
        on the phone.
      </p>
      <SecretOnce label="Secret for the app" secret={secret.secret} />
      <Form onSubmit={submit} error={verify.error} label="Confirm the second factor">
        <TextField
          label="Code of the app"
          autoComplete="one-time-code"
          inputMode="numeric"
          isRequired
          autoFocus
          mono
          value={code}
          onChange={setCode}
        />
        <div>
          <Button type="submit" variant="primary" isPending={verify.isPending}>
            Confirm
          </Button>
        </div>
      </Form>
    </>
  );
}

function Recovery({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  return (
    <>
      <p className="text-muted">
        Each of these signs in once in the app's place. Keep them where the phone is not: they are shown this once.
      </p>
      <CodeBlock label="Recovery codes" text={codes.join("\n")} />
      <div>
        <Button variant="primary" onPress={onDone}>
          I have kept them
        </Button>
      </div>
    </>
  );
}

function Disable() {
  const [code, setCode] = useState("");
  const disable = useWrite("auth.totp.disable", { refreshes: ["auth.session", "members."] });
  const submit = (): void =>
    disable.mutate({ body: { code: code.trim() } }, { onSuccess: () => toast("The second factor is off.") });
  return (
    <Form onSubmit={submit} error={disable.error} label="Give up the second factor">
      <TextField
        label="A code of the app, or a recovery code"
        autoComplete="one-time-code"
        isRequired
        mono
        value={code}
        onChange={setCode}
      />
      <div>
        <Button type="submit" isPending={disable.isPending}>
          Turn it off
        </Button>
      </div>
    </Form>
  );
}
