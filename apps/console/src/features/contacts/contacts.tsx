import { Plus, Users } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Badge,
  Button,
  EmptyState,
  fieldError,
  FormDialog,
  Link,
  RelativeTime,
  ResourceList,
  Table,
  TextField,
  useIsFiltered,
  useCreating,
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
  const isFiltered = useIsFiltered();
  const [isCreating, setCreating] = useCreating(isNew, paths.contacts);
  const access = useAccess();
  const add = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden size={15} />}
      isDisabled={!access.may("contacts.create")}
      onPress={() => setCreating(true)}
    >
      Create contact
    </Button>
  );
  return (
    <>
      <ResourceList
        operation="contacts.list"
        title="Contacts"
        description="People, each with a timeline of inbound webhooks, events and actions."
        filters={FILTERS}
        actions={add}
        label="Loading the contacts"
        empty={
          <EmptyState
            title={isFiltered ? "No matching contacts" : "No contacts yet"}
            icon={<Users aria-hidden size={20} />}
            action={add}
          >
            Contacts are created automatically from inbound webhooks and from events that name a customer.
          </EmptyState>
        }
      >
        {(rows) => <Table label="Contacts" rows={rows} keyOf={(contact) => contact.id} columns={COLUMNS} />}
      </ResourceList>
      {isCreating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
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
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const create = useWrite("contacts.create", { refreshes: ["contacts.", "customers."] });
  const send = (): void =>
    create.mutate(
      { body: { email, ...(name === "" ? {} : { name }) } },
      { onSuccess: (made) => void navigate({ to: paths.contact(made.id) }) },
    );
  return (
    <FormDialog
      title="Create contact"
      size="sm"
      onClose={onClose}
      submitLabel="Create contact"
      write={create}
      onSubmit={send}
    >
      <TextField
        label="E-mail"
        type="email"
        isRequired
        autoFocus
        value={email}
        onChange={setEmail}
        {...fieldError(create.error, "/email")}
      />
      <TextField label="Name" value={name} onChange={setName} {...fieldError(create.error, "/name")} />
    </FormDialog>
  );
}
