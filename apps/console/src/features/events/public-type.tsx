import { read } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Card, CodeBlock, PageHeader, ResourcePage } from "../../ui/ui.ts";
import { SchemaTable } from "./schema-table.tsx";

/** One event type that a tenant may subscribe to, in the portal. */
export function Screen() {
  return (
    <ResourcePage parameter="name" read={(name) => read("event_types.get", { path: { name } })} heading="Event type">
      {({ name, description, schema, example }) => (
        <>
          <PageHeader
            title={name}
            mono
            description={description}
            back={{ to: paths.eventTypes, label: "Event types" }}
          />
          {schema === null ? null : (
            <Card title="Data" flush>
              <SchemaTable schema={schema} />
            </Card>
          )}
          {example === null ? null : (
            <Card title="Example">
              <CodeBlock label="Example" text={JSON.stringify(example, null, 2)} />
            </Card>
          )}
        </>
      )}
    </ResourcePage>
  );
}
