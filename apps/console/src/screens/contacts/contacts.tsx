import { Plus, Users } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import { usePages, useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { useAccess } from "../../session/session.ts";
import {
  Badge,
  Button,
  Card,
  Dialog,
  EmptyState,
  fieldError,
  FilterBar,
  Form,
  Link,
  LoadedPages,
  PageHeader,
  RelativeTime,
  ShowAs,
  Table,
  TextField,
  useFilters,
  useIsFiltered,
} from "../../ui/ui.ts";

/** The people whose timelines there are. */
export function Screen() {
  const isFiltered = useIsFiltered();
  const [isCreating, setCreating] = useState(false);
  const [filters] = useFilters();
  const access = useAccess();
  const query = Object.fromEntries(
    ["email", "external_id", "tag", "lifecycle_stage"].flatMap((name) =>
      filters[name] === undefined ? [] : [[name, filters[name]] as const],
    ),
  );
  const pages = usePages("contacts.list", { query });
  const add = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden size={15} />}
      isDisabled={!access.may("contacts.create")}
      onPress={() => setCreating(true)}
    >
      Add a contact
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Contacts"
        description="People, with a timeline of what came in about them, what went out, and what was done."
        actions={
          <>
            <ShowAs operation="contacts.list" input={{ query }} />
            {add}
          </>
        }
      />
      <FilterBar
        fields={[
          { name: "email", label: "E-mail", placeholder: "ada@example.com", isPinned: true },
          { name: "external_id", label: "Your id", mono: true },
          { name: "tag", label: "Tag" },
          { name: "lifecycle_stage", label: "Stage", placeholder: "customer" },
        ]}
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the contacts"
          empty={
            <EmptyState
              title={isFiltered ? "No contact fits these filters" : "No contact yet"}
              icon={<Users aria-hidden size={20} />}
              action={add}
            >
              Contacts come by themselves: from inbound webhooks, and from events that name a customer.
            </EmptyState>
          }
        >
          {(rows) => <ContactTable rows={rows} />}
        </LoadedPages>
      </Card>
      {isCreating ? <CreateDialog onClose={() => setCreating(false)} /> : null}
    </>
  );
}

function ContactTable({ rows }: { readonly rows: readonly wire.Contact[] }) {
  return (
    <Table
      label="Contacts"
      rows={rows}
      keyOf={(contact) => contact.id}
      columns={[
        {
          id: "name",
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
          id: "stage",
          header: "Stage",
          from: "sm",
          cell: (contact) => (contact.lifecycle_stage === null ? "" : <Badge>{contact.lifecycle_stage}</Badge>),
        },
        { id: "tags", header: "Tags", from: "lg", cell: (contact) => contact.tags.slice(0, 5).join(", ") },
        { id: "score", header: "Score", align: "end", cell: (contact) => contact.score.toLocaleString("en") },
        { id: "last", header: "Last activity", cell: (contact) => <RelativeTime at={contact.last_activity_at} /> },
      ]}
    />
  );
}

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
    <Dialog
      title="Add a contact"
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form="create-contact" variant="primary" isPending={create.isPending}>
            Add it
          </Button>
        </>
      }
    >
      <Form id="create-contact" onSubmit={send} error={create.error}>
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
      </Form>
    </Dialog>
  );
}
