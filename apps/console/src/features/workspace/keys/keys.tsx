import { KeyRound } from "lucide-react";
import type { wire } from "../../../api/api.ts";
import { paths } from "../../../paths.ts";
import { actorTypeWords } from "../../../shared/shared.ts";
import { useAccess, useSession } from "../../../session/session.ts";
import {
  Badge,
  labelOf,
  labelsOf,
  Link,
  RelativeTime,
  ResourceList,
  StatusLight,
  useIsFiltered,
  useNow,
  useCreating,
} from "../../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../../ui/ui.ts";
import { CreateKeyDialog } from "./create-key-dialog.tsx";

/** The same list with the dialog that creates one. */
export function NewScreen() {
  return <Screen isNew />;
}

export function Screen({ isNew = false }: { readonly isNew?: boolean }) {
  const { button, dialog } = useCreating({
    isNew,
    list: paths.keys,
    operation: "keys.create",
    label: "Create key",
    dialog: (onClose) => <CreateKeyDialog onClose={onClose} />,
  });
  const access = useAccess();
  const { environment } = useSession();
  const isFiltered = useIsFiltered();
  const mayCreate = access.may("keys.create");
  return (
    <>
      <ResourceList
        operation="keys.list"
        title="API keys"
        description={`Programs use these keys to call the ${environment} API. A key is shown only once, when you create it.`}
        actions={button}
        filters={FILTERS}
        notice={
          mayCreate ? null : (
            <p className="pb-3 text-sm text-muted">
              Your role ({access.role}) can't create keys. Only owners and admins can create keys.
            </p>
          )
        }
        noun="keys"
        emptyTitle={isFiltered ? "No matching keys" : `No ${environment} keys yet`}
        icon={KeyRound}
        emptyAction={button}
        hint="Programs need a key to fire events, run actions or read data."
        columns={COLUMNS}
      />
      {dialog}
    </>
  );
}

const FILTERS: readonly FilterField[] = [{ name: "tenant", label: "Tenant", mono: true, placeholder: "acme" }];

const COLUMNS: readonly TableColumn<wire.ApiKey>[] = [
  {
    header: "Name",
    cell: (key) => (
      <span className="flex flex-col">
        <Link to={paths.key(key.id)} look="plain" className="w-fit font-medium wrap-anywhere hover:underline">
          {key.name}
        </Link>
        <code className="text-xs text-muted">{key.prefix_hint}…</code>
      </span>
    ),
  },
  { header: "State", cell: (key) => <KeyState apiKey={key} /> },
  { header: "Permissions", from: "sm", cell: (key) => <Badge>{labelOf(key.permission_mode)}</Badge> },
  { header: "Acts as", from: "md", cell: (key) => labelsOf([actorTypeWords(key.actor_type), key.role]) },
  { header: "Last used", from: "md", cell: (key) => <RelativeTime at={key.last_used_at} /> },
  { header: "Created", from: "lg", cell: (key) => <RelativeTime at={key.created_at} /> },
];

function KeyState({ apiKey }: { readonly apiKey: wire.ApiKey }) {
  const now = useNow();
  if (apiKey.revoked_at !== null) return <StatusLight tone="bad">Revoked</StatusLight>;
  if (apiKey.expires_at === null) return <StatusLight tone="good">Active</StatusLight>;
  const isOver = Date.parse(apiKey.expires_at) <= now;
  return <StatusLight tone={isOver ? "bad" : "warn"}>{isOver ? "Expired" : "Expires"}</StatusLight>;
}
