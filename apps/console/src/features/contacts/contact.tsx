import { useQuery } from "@tanstack/react-query";
import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import {
  Badge,
  Card,
  CopyButton,
  KeyValue,
  Link,
  Loaded,
  PageHeader,
  RelativeTime,
  ShowAs,
  usePathParameter,
} from "../../ui/ui.ts";
import { ContactActions } from "./contact-actions.tsx";
import { Timeline } from "./timeline.tsx";

/** One person, and their timeline. */
export function Screen() {
  const id = usePathParameter("id");
  const query = useQuery(read("contacts.get", { path: { id } }));
  return (
    <Loaded query={query} label="Loading the contact" page="Contact">
      {(contact) => <Contact contact={contact} />}
    </Loaded>
  );
}

function Contact({ contact }: { readonly contact: wire.Contact }) {
  const title = contact.name ?? contact.email ?? contact.external_ids[0] ?? contact.id;
  return (
    <>
      <PageHeader
        title={title}
        back={{ to: paths.contacts, label: "Contacts" }}
        status={contact.lifecycle_stage === null ? undefined : <Badge>{contact.lifecycle_stage}</Badge>}
        actions={
          <>
            <ShowAs operation="contacts.activities.list" input={{ path: { id: contact.id } }} />
            <ContactActions contact={contact} title={title} />
          </>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(18rem,1fr)]">
        <Timeline contactId={contact.id} />
        <Card title="About them">
          <KeyValue
            rows={[
              { label: "Score", value: contact.score.toLocaleString("en") },
              {
                label: "E-mail",
                value:
                  contact.email === null ? (
                    "not known"
                  ) : (
                    <span className="inline-flex max-w-full items-center gap-1">
                      <bdi className="break-all">{contact.email}</bdi>
                      <CopyButton text={contact.email} label="Copy the e-mail address" />
                    </span>
                  ),
              },
              {
                label: "Also",
                value: contact.email_aliases.length === 0 ? "no other address" : contact.email_aliases.join(", "),
              },
              {
                label: "Your ids",
                value: contact.external_ids.length === 0 ? "none" : contact.external_ids.join(", "),
              },
              { label: "Tags", value: contact.tags.length === 0 ? "none" : contact.tags.join(", ") },
              { label: "Last activity", value: <RelativeTime at={contact.last_activity_at} /> },
              { label: "Known since", value: <RelativeTime at={contact.created_at} /> },
              { label: "As customer", value: <Link to={paths.customer(contact.id)}>What connectors know</Link> },
              { label: "Open tickets", value: contact.tickets_open },
              { label: "Tickets", value: <Link to={`${paths.tickets}?customer_id=${contact.id}`}>Their tickets</Link> },
              { label: "Id", value: <code className="text-xs break-all">{contact.id}</code> },
            ]}
          />
        </Card>
      </div>
    </>
  );
}
