import { Inbox } from "lucide-react";
import { useQueryClient } from "@tanstack/react-query";
import { refresh, useLive, usePages } from "../../api/api.ts";
import { ReceiptTable } from "../../inbound/inbound.ts";
import { paths } from "../../paths.ts";
import {
  Card,
  EmptyState,
  FilterBar,
  Link,
  LoadedPages,
  PageHeader,
  rangeStart,
  ShowAs,
  timeRanges,
  useFilters,
  useIsFiltered,
} from "../../ui/ui.ts";

const STATES = [
  { value: "ok", label: "Taken" },
  { value: "unmapped", label: "Unmapped" },
  { value: "error", label: "Refused" },
  { value: "duplicate", label: "Duplicate" },
];

/** Every request that came in, and what became of it. */
export function Screen() {
  const isFiltered = useIsFiltered();
  const client = useQueryClient();
  const [filters] = useFilters();
  const after = rangeStart(filters["since"]);
  const chosen = ["status", "source_id", "contact_id"].flatMap((name) =>
    filters[name] === undefined ? [] : [[name, filters[name]] as const],
  );
  const query = { ...Object.fromEntries(chosen), ...(after === undefined ? {} : { created_after: after }) };
  const pages = usePages("inbound_receipts.list", { query });
  useLive("receipt", () => void refresh(client, ["inbound_receipts.list"]));
  return (
    <>
      <PageHeader
        title="Receipts"
        description="Each request that came in is kept as it was, whatever became of it, and can be read anew."
        actions={<ShowAs operation="inbound_receipts.list" input={{ query }} />}
      />
      <FilterBar
        fields={[
          { name: "status", label: "State", options: STATES, isPinned: true },
          { name: "since", label: "Time", options: timeRanges, isPinned: true },
          { name: "source_id", label: "Source", mono: true, placeholder: "src_…" },
          { name: "contact_id", label: "Contact", mono: true, placeholder: "con_…" },
        ]}
      />
      <Card flush>
        <LoadedPages
          pages={pages}
          label="Loading the receipts"
          empty={
            <EmptyState
              title={isFiltered ? "No receipt fits these filters" : "No receipt yet"}
              icon={<Inbox aria-hidden size={20} />}
              action={
                <Link to={paths.sources} look="primary">
                  See the sources
                </Link>
              }
            >
              What is posted to a source's address stands here at once.
            </EmptyState>
          }
        >
          {(rows) => <ReceiptTable rows={rows} />}
        </LoadedPages>
      </Card>
    </>
  );
}
