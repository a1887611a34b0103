import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { usePages } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess, useSession } from "../../session/session.ts";
import {
  Badge,
  Button,
  Card,
  EmptyState,
  Link,
  LoadedPages,
  PageHeader,
  RelativeTime,
  ShowAs,
  StatusLight,
  Table,
  useNow,
} from "../../ui/ui.ts";
import { CreateKeyDialog } from "../../features/workspace/keys/create-key-dialog.tsx";

export function Screen() {
  const [isCreating, setCreating] = useState(false);
  const keys = usePages("keys.list");
  const access = useAccess();
  const { environment } = useSession();
  const mayCreate = access.may("keys.create");
  const create = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden size={15} />}
      isDisabled={!mayCreate}
      onPress={() => setCreating(true)}
    >
      Create a key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="API keys"
        description={`What programs call the ${environment} API with. A key is shown once, when it is made.`}
        actions={
          <>
            <ShowAs operation="keys.list" input={{}} />
            {create}
          </>
        }
      />
      {mayCreate ? null : (
        <p className="pb-3 text-sm text-muted">
          Your role, {access.role}, makes no keys. An owner, admin or developer can.
        </p>
      )}
      <Card flush>
        <LoadedPages
          pages={keys}
          label="Loading the keys"
          empty={
            <EmptyState
              title={`No key in ${environment} yet`}
              icon={<KeyRound aria-hidden size={20} />}
              action={create}
            >
              A program needs one to fire events, run actions, or read what happened.
            </EmptyState>
          }
        >
          {(rows) => <KeyTable rows={rows} />}
        </LoadedPages>
      </Card>
      {isCreating ? <CreateKeyDialog onClose={() => setCreating(false)} /> : null}
    </>
  );
}

function KeyTable({ rows }: { readonly rows: readonly wire.ApiKey[] }) {
  return (
    <Table
      label="API keys"
      rows={rows}
      keyOf={(key) => key.id}
      columns={[
        {
          id: "name",
          header: "Name",
          cell: (key) => (
            <span className="flex flex-col">
              <Link to={paths.key(key.id)} look="plain" className="w-fit font-medium hover:underline">
                {key.name}
              </Link>
              <code className="text-xs text-muted">{key.prefix_hint}…</code>
            </span>
          ),
        },
        { id: "state", header: "State", cell: (key) => <KeyState apiKey={key} /> },
        {
          id: "mode",
          header: "May",
          from: "sm",
          cell: (key) => <Badge>{key.permission_mode.replace("_", " ")}</Badge>,
        },
        { id: "role", header: "As", from: "md", cell: (key) => `${key.actor_type}, ${key.role}` },
        { id: "used", header: "Last used", from: "md", cell: (key) => <RelativeTime at={key.last_used_at} /> },
        { id: "created", header: "Created", from: "lg", cell: (key) => <RelativeTime at={key.created_at} /> },
      ]}
    />
  );
}

function KeyState({ apiKey }: { readonly apiKey: wire.ApiKey }) {
  const now = useNow();
  if (apiKey.revoked_at !== null) return <StatusLight tone="bad">Revoked</StatusLight>;
  if (apiKey.expires_at === null) return <StatusLight tone="good">Active</StatusLight>;
  const isOver = Date.parse(apiKey.expires_at) <= now;
  return <StatusLight tone={isOver ? "bad" : "warn"}>{isOver ? "Expired" : "Expires"}</StatusLight>;
}
