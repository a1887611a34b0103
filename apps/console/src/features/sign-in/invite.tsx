import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { isProblem } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { acceptInvitation, askPasskey, lookUpInvitation, sessionQuery } from "../../session/session.ts";
import type { Invitation } from "../../session/session.ts";
import { PlainPage } from "../../shell/shell.ts";
import { Button, ErrorNote, Form, Link, Skeleton, TextField, useUrlState, useWireForm } from "../../ui/ui.ts";
import { OidcJoin } from "./oidc.tsx";
import { factorAskOf, SecondFactor } from "./second-factor.tsx";
import type { FactorAsk } from "./second-factor.tsx";

type Person = Record<"name" | "password" | "code", string>;

export function Screen() {
  const [token] = useUrlState("token", "");
  const offer = useQuery({
    queryKey: ["invitation", token],
    queryFn: async () => await lookUpInvitation(token),
    retry: false,
    enabled: token !== "",
  });
  if (offer.data !== undefined) return <Offer token={token} offer={offer.data} />;
  return (
    <PlainPage title="Invitation">
      {offer.isLoading ? <Skeleton label="Loading the invitation" lines={2} /> : null}
      {offer.isError ? <ErrorNote error={offer.error} /> : null}
      {offer.isLoading ? null : (
        <p className="text-muted">
          An invitation link works once and expires after 7 days. Ask the person who invited you for a new link, or{" "}
          <Link to={paths.signIn}>sign in</Link>.
        </p>
      )}
    </PlainPage>
  );
}

function Offer({ token, offer }: { readonly token: string; readonly offer: Invitation }) {
  const [ask, setAsk] = useState<FactorAsk>();
  const client = useQueryClient();
  const navigate = useNavigate();
  const accept = useMutation({
    mutationFn: async ({ passkey, name, password, code }: Pick<FactorAsk, "passkey"> & Person) => {
      const factor =
        passkey === null ? (code === "" ? {} : { totp_code: code.trim() }) : { assertion: await askPasskey(passkey) };
      return await acceptInvitation({ token, name, password, ...factor });
    },
    onError: (error) => setAsk((before) => factorAskOf(error) ?? before),
    onSuccess: async (answer) => {
      client.clear();
      client.setQueryData(sessionQuery.queryKey, answer);
      await navigate({ to: paths.home, replace: true });
    },
  });
  const form = useWireForm<Person>({ name: "", password: "", code: "" }, accept.error);
  const { value: code, onChange: onCode } = form.text("/code");
  return (
    <PlainPage title={`Join ${offer.workspace_name}`} description={`Role: ${offer.role}. E-mail: ${offer.email}.`}>
      <Form
        onSubmit={() => accept.mutate({ passkey: null, ...form.value })}
        error={isProblem(accept.error, "totp_required") ? null : accept.error}
      >
        <TextField label="Your name" name="name" autoComplete="name" isRequired autoFocus {...form.text("/name")} />
        <TextField
          label="Password"
          type="password"
          name="password"
          autoComplete="new-password"
          isRequired
          description="At least 12 characters. If you already have an account here, enter its password."
          {...form.text("/password")}
        />
        {ask === undefined ? null : (
          <SecondFactor
            ask={ask}
            code={code}
            onCode={onCode}
            onPasskey={() => accept.mutate({ passkey: ask.passkey, ...form.value })}
            isPending={accept.isPending}
          />
        )}
        <Button type="submit" variant="primary" isPending={accept.isPending}>
          Join workspace
        </Button>
      </Form>
      <OidcJoin invitation={token} />
    </PlainPage>
  );
}
