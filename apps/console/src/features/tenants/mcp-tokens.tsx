import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readAll, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { CAPABILITIES, CapabilityFields, LIFE_DAYS } from "../../shared/shared.ts";
import type { Capability, LifeDays } from "../../shared/shared.ts";
import {
  Badge,
  Button,
  Card,
  ConfirmDialog,
  Dialog,
  EmptyState,
  fieldError,
  FormDialog,
  Loaded,
  RelativeTime,
  SecretOnce,
  SecretText,
  Select,
  Table,
  TextField,
  toastOutcome,
} from "../../ui/ui.ts";

const TONES = { active: "good", expired: "neutral", revoked: "neutral" } as const;

/** Lists the tokens with which AI assistants work for a tenant, and creates and revokes them. */
export function McpTokensCard({ tenant }: { readonly tenant: string }) {
  const { may } = useAccess();
  const isPortal = usePortal() !== undefined;
  const [isCreating, setCreating] = useState(false);
  const tokens = useQuery(readAll("mcp_tokens.list", { query: { tenant } }));
  return (
    <Card
      title="AI assistants"
      description={
        isPortal
          ? "An assistant such as Claude or Cursor reads your endpoints and deliveries, and asks for changes. A person approves each change first."
          : "With a token, an AI client of this customer works for this tenant alone, by the operator tools. In live, each change waits for an approval."
      }
      actions={
        <Button isDisabled={!may("mcp_tokens.create")} onPress={() => setCreating(true)}>
          Connect an assistant
        </Button>
      }
      flush
    >
      <Loaded query={tokens} label="Loading the assistants" lines={3}>
        {(list) =>
          list.length === 0 ? <EmptyState title="No assistant is connected" /> : <TokenTable tokens={list} />
        }
      </Loaded>
      {isCreating ? <CreateDialog tenant={tenant} onClose={() => setCreating(false)} /> : null}
    </Card>
  );
}

function TokenTable({ tokens }: { readonly tokens: readonly wire.McpToken[] }) {
  return (
    <Table
      label="AI assistants"
      rows={tokens}
      columns={[
        { header: "Name", cell: ({ name }) => <bdi className="break-words">{name}</bdi> },
        { header: "State", cell: ({ state }) => <StateBadge state={state} /> },
        { header: "Expires", from: "sm", cell: (one) => <RelativeTime at={one.expires_at} /> },
        { header: "Last used", from: "md", cell: (one) => <RelativeTime at={one.last_used_at} /> },
        {
          header: "Actions",
          align: "end",
          cell: (token) => (token.state === "active" ? <Revoke token={token} /> : null),
        },
      ]}
    />
  );
}

function StateBadge({ state }: Pick<wire.McpToken, "state">) {
  return <Badge tone={TONES[state as keyof typeof TONES]}>{state}</Badge>;
}

function Revoke({ token: { id, name } }: { readonly token: wire.McpToken }) {
  const may = useAccess().may("mcp_tokens.revoke");
  const revoke = useWrite("mcp_tokens.revoke", { refreshes: ["mcp_tokens."] });
  const [isAsking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  return (
    <>
      <Button variant="danger" isDisabled={!may} onPress={() => setAsking(true)}>
        Revoke
      </Button>
      <ConfirmDialog
        title={`Revoke ${name}`}
        isOpen={isAsking}
        onClose={close}
        confirmLabel="Revoke"
        isPending={revoke.isPending}
        onConfirm={() => revoke.mutate({ path: { id } }, toastOutcome("Token revoked.", close))}
      >
        <p>The assistant stops working at once. What it asked for and no one has approved yet is not done.</p>
      </ConfirmDialog>
    </>
  );
}

interface CreateDialogProps {
  readonly tenant: string;
  readonly onClose: () => void;
}

function CreateDialog({ tenant, onClose }: CreateDialogProps) {
  const portal = usePortal();
  const offered = CAPABILITIES.filter(
    ({ value }) => value !== "mcp_tokens" && (portal === undefined || portal.capabilities.includes(value)),
  );
  const [name, setName] = useState("");
  const [capabilities, setCapabilities] = useState<readonly Capability[]>(() => offered.map(({ value }) => value));
  const [days, setDays] = useState<LifeDays>("30");
  const create = useWrite("mcp_tokens.create", { refreshes: ["mcp_tokens."] });
  if (create.data !== undefined) return <CreatedDialog made={create.data} onClose={onClose} />;
  const send = (): void =>
    create.mutate({
      body: { name, tenant, capabilities: [...capabilities], expires_in_seconds: Number(days) * 86_400 },
    });
  return (
    <FormDialog
      title="Connect an assistant"
      onClose={onClose}
      submitLabel="Create token"
      write={create}
      isDisabled={capabilities.length === 0}
      onSubmit={send}
    >
      <TextField
        label="Name"
        description="The assistant that gets the token, such as Claude."
        isRequired
        autoFocus
        value={name}
        onChange={setName}
        {...fieldError(create.error, "/name")}
      />
      <CapabilityFields
        offered={offered}
        values={capabilities}
        onChange={setCapabilities}
        error={fieldError(create.error, "/capabilities").error}
      />
      <Select label="The token ends after" options={LIFE_DAYS} value={days} onChange={setDays} />
    </FormDialog>
  );
}

function CreatedDialog({ made, onClose }: { readonly made: wire.NewMcpToken; readonly onClose: () => void }) {
  return (
    <Dialog
      title={`Connect ${made.name}`}
      isOpen
      onClose={onClose}
      actions={
        <Button variant="primary" onPress={onClose}>
          I have copied the token
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-muted">
          Add an MCP server with this address in the assistant, and the token as its bearer token (the header
          Authorization).
        </p>
        <SecretText label="Address" secret={made.url} />
        <SecretOnce label="Token" secret={made.token} />
      </div>
    </Dialog>
  );
}
