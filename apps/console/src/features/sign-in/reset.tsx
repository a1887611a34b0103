import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../paths.ts";
import { resetPassword, reviewReset } from "../../session/session.ts";
import type { ResetReview } from "../../session/session.ts";
import { PlainPage } from "../../shell/shell.ts";
import { Button, fieldError, Form, Link, Switch, TextField, useUrlState } from "../../ui/ui.ts";

export function Screen() {
  const [token] = useUrlState("token", "");
  const [password, setPassword] = useState("");
  const [keeps, setKeeps] = useState(false);
  const review = useQuery({
    queryKey: ["reset", token],
    queryFn: async () => await reviewReset(token),
    retry: false,
    enabled: token !== "",
    // The link no longer works after its use, and the page tells what ended.
    staleTime: Infinity,
  });
  const minted = review.data?.minted ?? [];
  const reset = useMutation({
    mutationFn: async () => await resetPassword({ token, password, keep_keys: keeps }),
  });
  if (reset.isSuccess) {
    return (
      <PlainPage title="Password changed" description="You were signed out on all devices, and Slack links ended.">
        {minted.length === 0 || keeps ? null : <Minted title="These ended too:" minted={minted} />}
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
        {minted.length === 0 ? null : (
          <>
            <Minted title="Connected apps and personal API keys, which end with the old password:" minted={minted} />
            <Switch isSelected={keeps} onChange={setKeeps}>
              Keep them: I made all of them, and no one else knew my password
            </Switch>
          </>
        )}
        <Button type="submit" variant="primary" isPending={reset.isPending}>
          Change password
        </Button>
      </Form>
    </PlainPage>
  );
}

function Minted({ title, minted }: { readonly title: string; readonly minted: ResetReview["minted"] }) {
  return (
    <div className="text-sm text-muted">
      <p>{title}</p>
      <ul className="list-disc pl-5">
        {minted.map(({ kind, name, workspace_name: workspace }, at) => (
          <li key={at}>
            {kind === "app" ? "App" : "Key"} <bdi>{name}</bdi> in <bdi>{workspace}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}
