import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { isProblem } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { sessionQuery, signIn } from "../../session/session.ts";
import { PlainPage } from "../../shell/shell.ts";
import { Button, ErrorNote, Form, Link, TextField, useUrlState } from "../../ui/ui.ts";
import { OidcFailure, OidcLink } from "./oidc.tsx";
import { PasswordFields } from "./password-fields.tsx";

type Step = "password" | "code";

export function Screen() {
  const [next] = useUrlState("next", "/");
  const [proof, setProof] = useState({ email: "", password: "", code: "" });
  const [step, setStep] = useState<Step>("password");
  const { submit, error, isPending } = useSignIn(proof, step, () => setStep("code"), next);
  const change = (part: Partial<typeof proof>) => setProof({ ...proof, ...part });
  return (
    <PlainPage
      title={step === "password" ? "Sign in" : "Two-factor authentication"}
      description={
        step === "password" ? undefined : "Enter the six-digit code from your authenticator app, or a recovery code."
      }
    >
      {step === "password" ? <OidcFailure /> : null}
      {next === "/" || step === "code" ? null : (
        <p className="text-sm text-muted">After you sign in, you return to the previous page.</p>
      )}
      <Form onSubmit={() => void submit()}>
        {step === "password" ? (
          <PasswordFields email={proof.email} password={proof.password} onChange={change} />
        ) : (
          <TextField
            key="code"
            label="Code"
            name="code"
            autoComplete="one-time-code"
            isRequired
            autoFocus
            mono
            value={proof.code}
            onChange={(code) => change({ code })}
          />
        )}
        {error === null ? null : <ErrorNote error={error} />}
        <Button type="submit" variant="primary" isPending={isPending}>
          {step === "password" ? "Sign in" : "Verify code"}
        </Button>
      </Form>
      {step === "password" ? <OidcLink next={next} /> : null}
      {step === "password" ? <Link to={paths.forgot}>Forgot your password?</Link> : null}
    </PlainPage>
  );
}

function useSignIn(
  { email, password, code }: { readonly email: string; readonly password: string; readonly code: string },
  step: Step,
  onCode: () => void,
  next: string,
) {
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const submit = async (): Promise<void> => {
    setPending(true);
    setError(null);
    try {
      const answer = await signIn({ email, password, ...(step === "code" ? { totp_code: code.trim() } : {}) });
      client.clear();
      client.setQueryData(sessionQuery.queryKey, answer);
      await navigate({ href: ownPath(next), replace: true });
    } catch (failure) {
      if (isProblem(failure, "totp_required") && step === "password") onCode();
      else setError(failure);
    } finally {
      setPending(false);
    }
  };
  return { submit, error, isPending };
}

/** A link must not lead anyone away from here after signing in. */
function ownPath(next: string): string {
  const url = URL.parse(next, window.location.origin);
  if (url === null || url.origin !== window.location.origin) return "/";
  // A path that begins with two slashes would name a host.
  return url.pathname.replace(/^\/+/, "/") + url.search + url.hash;
}
