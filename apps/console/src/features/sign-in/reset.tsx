import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../paths.ts";
import { resetPassword } from "../../session/session.ts";
import { PlainPage } from "../../shell/shell.ts";
import { Button, fieldError, Form, Link, TextField, useUrlState } from "../../ui/ui.ts";

export function Screen() {
  const [token] = useUrlState("token", "");
  const [password, setPassword] = useState("");
  const reset = useMutation({ mutationFn: async () => await resetPassword(token, password) });
  if (reset.isSuccess) {
    return (
      <PlainPage title="Password changed" description="You were signed out on all devices.">
        <Link to={paths.signIn} look="primary">
          Sign in
        </Link>
      </PlainPage>
    );
  }
  return (
    <PlainPage
      title="Set a new password"
      description="The link works once. A link from an e-mail is valid for 30 minutes."
    >
      <Form onSubmit={() => reset.mutate()} error={reset.error}>
        <TextField
          label="New password"
          type="password"
          name="password"
          autoComplete="new-password"
          isRequired
          minLength={12}
          autoFocus
          description="At least 12 characters."
          value={password}
          onChange={setPassword}
          {...fieldError(reset.error, "/password")}
        />
        <Button type="submit" variant="primary" isPending={reset.isPending}>
          Change password
        </Button>
      </Form>
    </PlainPage>
  );
}
