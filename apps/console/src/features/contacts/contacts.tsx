import { Users } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";

import {
  Badge,
  FormDialog,
  Link,
  RelativeTime,
  ResourceList,
  TextField,
  useCreating,
  useWireForm,
} from "../../ui/ui.ts";
import type { FilterField, TableColumn } from "../../ui/ui.ts";

const FILTERS: readonly FilterField[] = [
  { name: "email", label: "E-mail", placeholder: "ada@example.com", isPinned: true },
  { name: "external_id", label: "External ID", mono: true },
  { name: "tag", label: "Tag" },
  { name: "lifecycle_stage", label: "Stage", placeholder: "customer" },
];

/** The people whose timelines there are. */
/** The same list with the dialog that creates one. */
export function NewScreen() {
  return <Screen isNew />;
}

export function Screen({ isNew = false }: { readonly isNew?: boolean }) {
  const { button, dialog } = useCreating({
    isNew,
    list: paths.contacts,
    operation: "contacts.create",
    label: "Create contact",
    dialog: (onClose) => <CreateDialog onClose={onClose} />,
  });
  return (
    <>
      <ResourceList
        operation="contacts.list"
        title="Contacts"
        description="People, each with a timeline of inbound webhooks, events and actions."
        filters={FILTERS}
        actions={button}
        noun="contacts"
        icon={Users}
        emptyAction={button}
        hint="Contacts are created automatically from inbound webhooks and from events that name a customer."
        columns={COLUMNS}
      />
      {dialog}
    </>
  );
}

const COLUMNS: readonly TableColumn<wire.Contact>[] = [
  {
    header: "Contact",
    cell: (contact) => (
      <span className="flex min-w-0 flex-col">
        <Link
          to={paths.contact(contact.id)}
          look="plain"
          className="line-clamp-2 w-fit font-medium break-all hover:underline"
        >
          <bdi>{contact.name ?? contact.email ?? contact.external_ids[0] ?? contact.id}</bdi>
        </Link>
        {contact.name === null ? null : <bdi className="text-xs break-all text-muted">{contact.email}</bdi>}
      </span>
    ),
  },
  {
    header: "Stage",
    from: "sm",
    cell: (contact) => (contact.lifecycle_stage === null ? "" : <Badge>{contact.lifecycle_stage}</Badge>),
  },
  { header: "Tags", from: "lg", cell: (contact) => contact.tags.slice(0, 5).join(", ") },
  { header: "Score", align: "end", cell: (contact) => contact.score.toLocaleString("en") },
  { header: "Last activity", cell: (contact) => <RelativeTime at={contact.last_activity_at} /> },
];

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const create = useWrite("contacts.create", { refreshes: ["contacts.", "customers."] });
  const form = useWireForm<wire.NewContact>({ email: "" }, create.error);
  const send = (): void =>
    create.mutate({ body: form.value }, { onSuccess: (made) => void navigate({ to: paths.contact(made.id) }) });
  return (
    <FormDialog
      title="Create contact"
      size="sm"
      onClose={onClose}
      submitLabel="Create contact"
      write={create}
      onSubmit={send}
    >
      <TextField label="E-mail" type="email" isRequired autoFocus {...form.text("/email")} />
      <TextField label="Name" {...form.text("/name", undefined)} />
    </FormDialog>
  );
}
