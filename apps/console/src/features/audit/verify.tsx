import { useQuery } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { Button, Card, ErrorNote, StatusLight } from "../../ui/ui.ts";

const REASONS: Readonly<Record<string, string>> = {
  changed: "the row is not what was written",
  missing: "the row is gone",
  cut: "rows at the end are gone",
  digest: "the row is not what a signed digest says",
};

/** Recomputes the chain on the service, when it is asked to. */
export function Verify() {
  const query = useQuery({ ...read("audit.verify"), enabled: false, gcTime: 0 });
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0" aria-live="polite">
          {query.data === undefined ? (
            <p className="text-muted">Whether anybody changed a row can be computed at any time.</p>
          ) : (
            <Verdict found={query.data} />
          )}
        </div>
        <Button
          icon={<ShieldCheck aria-hidden size={15} />}
          isPending={query.isFetching}
          onPress={() => void query.refetch()}
        >
          Verify the chain
        </Button>
      </div>
      {query.isError ? <ErrorNote error={query.error} /> : null}
    </Card>
  );
}

function Verdict({ found }: { readonly found: wire.AuditVerification }) {
  const rows = `${found.checked.toLocaleString("en")} ${found.checked === 1 ? "row" : "rows"}`;
  if (found.ok) return <StatusLight tone="good">The chain is whole: {rows} checked.</StatusLight>;
  return (
    <div>
      <StatusLight tone="bad">The chain breaks at row {found.first_bad_seq}</StatusLight>
      <p className="text-sm text-muted">
        {rows} before it are as they were written; there, {REASONS[found.reason ?? ""] ?? "something is wrong"}. Keep
        the database as it is, and compare it with a backup.
      </p>
    </div>
  );
}
