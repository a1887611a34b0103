import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { actorTypeWords, numberText } from "../../../shared/shared.ts";
import { useAccess } from "../../../session/session.ts";
import {
  Badge,
  Button,
  Card,
  Code,
  CopiedId,
  KeyValue,
  labelOf,
  Link,
  Loaded,
  PageHeader,
  RelativeTime,
  ShowAs,
  StatusLight,
  usePathParameter,
} from "../../../ui/ui.ts";
import { RevokeDialog, RollDialog } from "./key-dialogs.tsx";
import { Trial } from "./trial.tsx";
import { Usage } from "./usage.tsx";

export function Screen() {
  const id = usePathParameter("id");
  const key = useQuery(read("keys.get", { path: { id } }));
  return (
    <>
      <PageHeader
        title={key.data?.name ?? "API key"}
        back={{ to: paths.keys, label: "API keys" }}
        status={key.data === undefined ? null : <State apiKey={key.data} />}
        actions={
          <>
            <ShowAs operation="keys.get" input={{ path: { id } }} />
            {key.data === undefined ? null : <Actions apiKey={key.data} />}
          </>
        }
      />
      <Loaded query={key} label="Loading the key">
        {(found) => (
          <div className="grid gap-4 lg:grid-cols-2">
            <Facts apiKey={found} />
            <div className="flex flex-col gap-4">
              <Usage id={id} />
              <Trial id={id} />
            </div>
          </div>
        )}
      </Loaded>
    </>
  );
}

function State({ apiKey }: { readonly apiKey: wire.ApiKey }) {
  return apiKey.revoked_at === null ? (
    <StatusLight tone="good">Active</StatusLight>
  ) : (
    <StatusLight tone="bad">Revoked</StatusLight>
  );
}

function Actions({ apiKey }: { readonly apiKey: wire.ApiKey }) {
  const [asked, setAsked] = useState<"roll" | "revoke" | null>(null);
  const access = useAccess();
  if (apiKey.revoked_at !== null) return null;
  return (
    <>
      <Button isDisabled={!access.may("keys.roll")} onPress={() => setAsked("roll")}>
        Roll
      </Button>
      <Button variant="danger" isDisabled={!access.may("keys.revoke")} onPress={() => setAsked("revoke")}>
        Revoke
      </Button>
      {asked === "roll" ? <RollDialog apiKey={apiKey} onClose={() => setAsked(null)} /> : null}
      {asked === "revoke" ? <RevokeDialog apiKey={apiKey} onClose={() => setAsked(null)} /> : null}
    </>
  );
}

function Facts({ apiKey }: { readonly apiKey: wire.ApiKey }) {
  const limit = numberText(apiKey.rate_limit_per_hour);
  return (
    <Card title="Details">
      <KeyValue
        rows={[
          { label: "Prefix", value: <Code>{`${apiKey.prefix_hint}…`}</Code> },
          { label: "Permissions", value: <Badge>{labelOf(apiKey.permission_mode)}</Badge> },
          apiKey.permission_mode === "restricted"
            ? { label: "Blocked operations", value: <Texts texts={apiKey.blocked_actions} /> }
            : null,
          { label: "Acts as", value: `${labelOf(actorTypeWords(apiKey.actor_type))}, role ${apiKey.role}` },
          apiKey.tenant === null
            ? null
            : { label: "Tenant", value: <Link to={paths.tenant(apiKey.tenant)}>{apiKey.tenant}</Link> },
          { label: "Scopes", value: apiKey.scopes === null ? "All" : <Texts texts={apiKey.scopes} /> },
          { label: "Rate limit (calls per hour)", value: <span className="tabular">{limit}</span> },
          {
            label: "Allowed IP addresses",
            value: apiKey.ip_allowlist.length === 0 ? "Any" : <Texts texts={apiKey.ip_allowlist} />,
          },
          { label: "Signature", value: apiKey.require_signature ? "Required" : "Optional" },
          { label: "Created", value: <RelativeTime at={apiKey.created_at} /> },
          { label: "Expires", value: <RelativeTime at={apiKey.expires_at} /> },
          { label: "Last used", value: <LastUse apiKey={apiKey} /> },
          apiKey.revoked_at === null ? null : { label: "Revoked", value: <RelativeTime at={apiKey.revoked_at} /> },
          apiKey.actor_type === "ai"
            ? { label: "AI history", value: <Link to={`${paths.aiHistory}?key_id=${apiKey.id}`}>View requests</Link> }
            : null,
          { label: "ID", value: <CopiedId id={apiKey.id} what="key" /> },
        ]}
      />
    </Card>
  );
}

function LastUse({ apiKey }: { readonly apiKey: wire.ApiKey }) {
  return (
    <span>
      <RelativeTime at={apiKey.last_used_at} />
      {apiKey.last_used_ip === null ? null : (
        <>
          {" from "}
          <Code>{apiKey.last_used_ip}</Code>
        </>
      )}
    </span>
  );
}

function Texts({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return <span className="text-faint">None</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {texts.map((text) => (
        <Code key={text}>{text}</Code>
      ))}
    </span>
  );
}
