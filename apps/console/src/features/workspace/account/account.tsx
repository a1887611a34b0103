import { useSession } from "../../../session/session.ts";
import { Badge, Card, KeyValue, PageHeader } from "../../../ui/ui.ts";
import { MailCard } from "./mail-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { SlackCard } from "./slack-card.tsx";
import { TotpCard } from "./totp-card.tsx";

export function Screen() {
  const { member, workspaces } = useSession();
  return (
    <>
      <PageHeader title="Your account" description="Your profile in all workspaces that you belong to." />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex flex-col gap-4">
          <Card title="Profile">
            <KeyValue
              rows={[
                { label: "Name", value: member.name },
                { label: "E-mail", value: member.email },
                {
                  label: "Workspaces",
                  value: (
                    <ul className="flex flex-col gap-1">
                      {workspaces.map((one) => (
                        <li key={one.workspace_id} className="flex items-center gap-2">
                          <bdi className="min-w-0 wrap-anywhere">{one.name}</bdi> <Badge>{one.role}</Badge>
                        </li>
                      ))}
                    </ul>
                  ),
                },
              ]}
            />
          </Card>
          <PasswordCard />
          <MailCard />
          <SlackCard />
        </div>
        <div className="flex flex-col gap-4">
          <PasskeysCard />
          <TotpCard />
          <SessionsCard />
        </div>
      </div>
    </>
  );
}
