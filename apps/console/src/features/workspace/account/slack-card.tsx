import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readAll, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useSession } from "../../../session/session.ts";
import { useStepUp } from "../../../shared/shared.ts";
import { Button, Card, Code, Form, Loaded, RelativeTime, SecretOnce, TextField, toastOutcome } from "../../../ui/ui.ts";

/** The person's Slack account, whose taps count as their decisions. */
export function SlackCard() {
  const { member } = useSession();
  const links = useQuery(readAll("slack_links.list"));
  const [code, setCode] = useState<wire.SlackLinkCode>();
  const [password, setPassword] = useState("");
  const begin = useWrite("slack_links.create");
  const stepUp = useStepUp();
  const send = (): void =>
    begin.mutate(
      { body: password === "" ? {} : { password } },
      { onSuccess: setCode, onError: stepUp.orProve({ operation: "slack_links.create" }, () => send()) },
    );
  return (
    <Card
      title="Slack"
      description="A linked Slack account approves and rejects as you, in the channels of this workspace and environment."
      stacked
    >
      <Loaded query={links} label="Loading your Slack accounts" lines={2}>
        {(all) => <Links links={all.filter((link) => link.member_id === member.id)} />}
      </Loaded>
      {code === undefined ? null : (
        <>
          <p className="text-sm text-muted">
            Press “Enter the code” in a message of the app in Slack, and enter this code yourself. Give it to no one. It
            ends <RelativeTime at={code.expires_at} />.
          </p>
          <SecretOnce label="Code" secret={code.code} />
        </>
      )}
      <Form onSubmit={send} error={begin.error} label="Link a Slack account">
        {member.totp_active || member.passkey_active ? null : (
          <TextField
            label="Password for the link"
            description="Not needed just after you signed in with OpenID Connect."
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
          />
        )}
        <div>
          <Button type="submit" isPending={begin.isPending}>
            Link a Slack account
          </Button>
        </div>
      </Form>
      {stepUp.dialog}
    </Card>
  );
}

function Links({ links }: { readonly links: readonly wire.SlackLink[] }) {
  const end = useWrite("slack_links.delete", { refreshes: ["slack_links."] });
  if (links.length === 0) return <p className="text-muted">No Slack account is linked.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {links.map((link) => (
        <li key={link.id} className="flex items-center justify-between gap-3">
          <span className="min-w-0">
            <Code>{link.slack_user_id}</Code> of <Code>{link.team_id}</Code>, since{" "}
            <RelativeTime at={link.created_at} />
          </span>
          <Button
            size="sm"
            isPending={end.isPending}
            aria-label={`End the link of ${link.slack_user_id}`}
            onPress={() => end.mutate({ path: { id: link.id } }, toastOutcome("Link ended."))}
          >
            End link
          </Button>
        </li>
      ))}
    </ul>
  );
}
