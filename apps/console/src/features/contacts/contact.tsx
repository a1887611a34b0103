import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { EmailAddress } from "../../shared/shared.ts";
import {
  Badge,
  Card,
  CopiedId,
  CopyButton,
  KeyValue,
  Link,
  PageHeader,
  RelativeTime,
  ResourcePage,
  ShowAs,
} from "../../ui/ui.ts";
import { ContactActions } from "./contact-actions.tsx";
import { Timeline } from "./timeline.tsx";

/** Shows one person and their timeline. */
export function Screen() {
  return (
    <ResourcePage read={(id) => read("contacts.get", { path: { id } })} heading="Contact">
      {(contact) => <Contact contact={contact} />}
    </ResourcePage>
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
        <Card title="Details">
          <KeyValue
            rows={[
              { label: "Score", value: contact.score.toLocaleString("en") },
              {
                label: "E-mail",
                value:
                  contact.email === null ? (
                    "Unknown"
                  ) : (
                    <span className="inline-flex max-w-full items-center gap-1">
                      <EmailAddress address={contact.email} />
                      <CopyButton text={contact.email} label="Copy e-mail address" />
                    </span>
                  ),
              },
              {
                label: "Other e-mail addresses",
                value: contact.email_aliases.length === 0 ? "None" : contact.email_aliases.join(", "),
              },
              {
                label: "External IDs",
                value: contact.external_ids.length === 0 ? "None" : contact.external_ids.join(", "),
              },
              { label: "Tags", value: contact.tags.length === 0 ? "None" : contact.tags.join(", ") },
              { label: "Last activity", value: <RelativeTime at={contact.last_activity_at} /> },
              { label: "First seen", value: <RelativeTime at={contact.created_at} /> },
              { label: "Customer", value: <Link to={paths.customer(contact.id)}>{title}</Link> },
              { label: "Open tickets", value: contact.tickets_open },
              { label: "Tickets", value: <Link to={`${paths.tickets}?customer_id=${contact.id}`}>View tickets</Link> },
              { label: "ID", value: <CopiedId id={contact.id} what="contact" /> },
            ]}
          />
        </Card>
      </div>
    </>
  );
}
