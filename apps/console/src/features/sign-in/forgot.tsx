import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../paths.ts";
import { requestPasswordReset } from "../../session/session.ts";
import { PlainPage } from "../../shell/shell.ts";
import { Button, Form, Link, TextField } from "../../ui/ui.ts";

export function Screen() {
  const [email, setEmail] = useState("");
  const request = useMutation({ mutationFn: async () => await requestPasswordReset(email) });
  if (request.isSuccess)
    return request.data ? (
      <PlainPage
        title="Check your e-mail"
        description="If the address has an account, you get a link within a few minutes. It works once, for 30 minutes."
      >
        <Link to={paths.signIn}>Back to sign-in</Link>
      </PlainPage>
    ) : (
      <PlainPage
        title="No e-mail was sent"
        description="This installation sends no e-mail. Ask an owner of your workspace, or the operator, for a link to set a new password."
      >
        <Link to={paths.signIn}>Back to sign-in</Link>
      </PlainPage>
    );
  return (
    <PlainPage title="Forgot your password?" description="Enter your e-mail address to get a link for a new password.">
      <Form onSubmit={() => request.mutate()} error={request.error}>
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          isRequired
          autoFocus
          value={email}
          onChange={setEmail}
        />
        <Button type="submit" variant="primary" isPending={request.isPending}>
          Send the link
        </Button>
      </Form>
      <Link to={paths.signIn}>Back to sign-in</Link>
    </PlainPage>
  );
}
