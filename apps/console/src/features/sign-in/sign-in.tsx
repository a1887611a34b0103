import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../paths.ts";
import { askPasskey, sessionQuery, signIn } from "../../session/session.ts";
import type { SignInProof } from "../../session/session.ts";
import { PlainPage } from "../../shell/shell.ts";
import { Button, ErrorNote, Form, Link, useUrlState } from "../../ui/ui.ts";
import { OidcFailure, OidcLink } from "./oidc.tsx";
import { PasswordFields } from "./password-fields.tsx";
import { factorAskOf, SecondFactor, secondFactorText } from "./second-factor.tsx";
import type { FactorAsk } from "./second-factor.tsx";

export function Screen() {
  const [next] = useUrlState("next", "/");
  const [proof, setProof] = useState({ email: "", password: "", code: "" });
  const { submit, askKey, ask, error, isPending } = useSignIn(proof, next);
  const change = (part: Partial<typeof proof>) => setProof({ ...proof, ...part });
  const isPassword = ask === undefined;
  return (
    <PlainPage
      title={isPassword ? "Sign in" : "Two-factor authentication"}
      description={isPassword ? undefined : secondFactorText(ask)}
    >
      {isPassword ? <OidcFailure /> : null}
      {next === "/" || !isPassword ? null : (
        <p className="text-sm text-muted">After you sign in, you return to the previous page.</p>
      )}
      <Form onSubmit={() => void submit()}>
        {isPassword ? (
          <PasswordFields email={proof.email} password={proof.password} onChange={change} />
        ) : (
          <SecondFactor
            ask={ask}
            code={proof.code}
            onCode={(code) => change({ code })}
            onPasskey={() => void askKey()}
            isPending={isPending}
          />
        )}
        {error === null ? null : <ErrorNote error={error} />}
        <Button type="submit" variant={(ask?.passkey ?? null) === null ? "primary" : "secondary"} isPending={isPending}>
          {isPassword ? "Sign in" : "Verify code"}
        </Button>
      </Form>
      {isPassword ? <OidcLink next={next} /> : null}
      {isPassword ? <Link to={paths.forgot}>Forgot your password?</Link> : null}
    </PlainPage>
  );
}

type Factor = Pick<SignInProof, "totp_code" | "assertion">;

function useSignIn(
  { email, password, code }: { readonly email: string; readonly password: string; readonly code: string },
  next: string,
) {
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const [ask, setAsk] = useState<FactorAsk>();
  const client = useQueryClient();
  const navigate = useNavigate();
  /** Tries with a second factor, or without one to learn which the person has. Returns what is asked for. */
  const attempt = async (factor: () => Promise<Factor>): Promise<FactorAsk | undefined> => {
    try {
      const answer = await signIn({ email, password, ...(await factor()) });
      client.clear();
      client.setQueryData(sessionQuery.queryKey, answer);
      await navigate({ href: ownPath(next), replace: true });
      return undefined;
    } catch (failure) {
      const asked = factorAskOf(failure);
      if (asked === undefined) setError(failure);
      return asked;
    }
  };
  const pending = async (work: () => Promise<void>): Promise<void> => {
    setPending(true);
    setError(null);
    await work();
    setPending(false);
  };
  const submit = async (): Promise<void> =>
    await pending(async () => {
      const given = ask === undefined ? {} : { totp_code: code.trim() };
      const asked = await attempt(async () => await Promise.resolve(given));
      if (asked !== undefined) setAsk(asked);
    });
  const askKey = async (): Promise<void> =>
    await pending(async () => {
      // A challenge works once, so another try needs another one.
      const request = ask?.passkey ?? null;
      if (request === null) return;
      const isAnswered = error !== null;
      const asked = isAnswered ? await attempt(async () => await Promise.resolve({})) : ask;
      const fresh = asked?.passkey ?? null;
      if (fresh === null) return;
      await attempt(async () => ({ assertion: await askPasskey(fresh) }));
    });
  return { submit, askKey, ask, error, isPending };
}

/** A link must not lead anyone away from here after signing in. */
function ownPath(next: string): string {
  const url = URL.parse(next, window.location.origin);
  if (url === null || url.origin !== window.location.origin) return "/";
  // A path that begins with two slashes would name a host.
  return url.pathname.replace(/^\/+/, "/") + url.search + url.hash;
}
