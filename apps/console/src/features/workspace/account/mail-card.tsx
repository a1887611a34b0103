import { useQuery } from "@tanstack/react-query";
import { read, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { Card, Loaded, Switch, toastError } from "../../../ui/ui.ts";

const KINDS = [
  { kind: "notifications", label: "Notifications of rules" },
  { kind: "approvals", label: "Waiting approvals" },
  { kind: "endpoint_failures", label: "Failing and disabled endpoints (for owners and admins)" },
] as const;

/** Which e-mail of the workspace the person gets. */
export function MailCard() {
  const preferences = useQuery(read("mails.preferences.get"));
  return (
    <Card title="E-mail" description="E-mail about this workspace. E-mail about your account is always sent.">
      <Loaded query={preferences} label="Loading your e-mail preferences" lines={3}>
        {(current) => <Switches current={current} />}
      </Loaded>
    </Card>
  );
}

function Switches({ current }: { readonly current: wire.MailPreferences }) {
  const change = useWrite("mails.preferences.update", { refreshes: ["mails.preferences."] });
  return (
    <div className="flex flex-col gap-3">
      {KINDS.map(({ kind, label }) => (
        <Switch
          key={kind}
          isSelected={current[kind]}
          isDisabled={change.isPending}
          onChange={(isOn) => change.mutate({ body: { [kind]: isOn } }, { onError: toastError })}
        >
          {label}
        </Switch>
      ))}
    </div>
  );
}
