import { Inbox } from "lucide-react";
import { useLiveRefresh } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { Link, ResourceList, sinceFilter } from "../../ui/ui.ts";
import type { FilterField } from "../../ui/ui.ts";
import { ReceiptTable } from "./receipt-table.tsx";

const STATES = [
  { value: "ok", label: "Accepted" },
  { value: "unmapped", label: "Unmapped" },
  { value: "error", label: "Error" },
  { value: "duplicate", label: "Duplicate" },
];
const FILTERS: readonly FilterField[] = [
  { name: "status", label: "State", options: STATES, isPinned: true },
  sinceFilter,
  { name: "source_id", label: "Source", mono: true, placeholder: "src_…" },
  { name: "contact_id", label: "Contact", mono: true, placeholder: "con_…" },
];

/** Every request that came in, and what became of it. */
export function Screen() {
  useLiveRefresh("receipt", "inbound_receipts.list");
  return (
    <ResourceList
      operation="inbound_receipts.list"
      title="Receipts"
      description="Inbound requests with their bodies and results. After you correct a mapping, reprocess the receipt."
      filters={FILTERS}
      noun="receipts"
      icon={Inbox}
      emptyAction={
        <Link to={paths.sources} look="primary">
          View sources
        </Link>
      }
      hint="Requests to a source's URL appear here immediately."
    >
      {(rows) => <ReceiptTable rows={rows} />}
    </ResourceList>
  );
}
