import { Badge, Table } from "../../ui/ui.ts";
import { fieldsOf } from "./schema-fields.ts";
import type { SchemaField } from "./schema-fields.ts";

/** The fields of an event's data, each with its type and what it means. */
export function SchemaTable({ schema }: { readonly schema: object }) {
  return (
    <Table
      label="Fields"
      rows={fieldsOf(schema)}
      keyOf={(field) => field.path}
      columns={[
        { header: "Field", cell: PathCell },
        { header: "Type", from: "sm", cell: (field) => <span className="text-muted">{field.type}</span> },
        { header: "Meaning", cell: (field) => field.description },
      ]}
    />
  );
}

function PathCell(field: SchemaField) {
  return (
    <span className="flex flex-wrap items-center gap-x-2" style={{ paddingLeft: `${field.depth * 0.875}rem` }}>
      <code className="text-xs">{field.name}</code>
      {field.isRequired ? <Badge tone="info">required</Badge> : null}
    </span>
  );
}
