import { Pencil } from "lucide-react";
import { useState } from "react";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { Button, Card, RelativeTime } from "../../ui/ui.ts";
import { ENFORCEMENTS, TypeDialog } from "./type-dialog.tsx";

/** Shows how the schema is enforced, and how often events did not match. */
export function ChecksCard({ type }: { readonly type: wire.EventTypeDetail }) {
  const [isEditing, setEditing] = useState(false);
  const may = useAccess().may("event_types.update");
  const { refused, warned } = type.violations_24h;
  return (
    <Card
      title="Schema check"
      actions={
        type.system ? null : (
          <Button size="sm" icon={<Pencil aria-hidden size={14} />} isDisabled={!may} onPress={() => setEditing(true)}>
            Edit type
          </Button>
        )
      }
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
        <dt className="text-muted">Data that does not match</dt>
        <dd>{ENFORCEMENTS.find(({ value }) => value === type.enforcement)?.label}</dd>
        <dt className="text-muted">Version</dt>
        <dd className="tabular">{type.version}</dd>
        <dt className="text-muted">Violations in 24 hours</dt>
        <dd className="tabular">
          {refused} refused, {warned} accepted
        </dd>
        <dt className="text-muted">Last seen</dt>
        <dd>{type.last_seen_at === null ? "Not in the last 7 days" : <RelativeTime at={type.last_seen_at} />}</dd>
      </dl>
      {isEditing ? <TypeDialog type={type} onClose={() => setEditing(false)} /> : null}
    </Card>
  );
}
