import { useQuery } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { Button, Card, ErrorNote, StatusLight } from "../../ui/ui.ts";

const REASONS: Readonly<Record<string, string>> = {
  changed: "the entry was changed",
  missing: "the entry is missing",
  cut: "entries at the end are missing",
  digest: "the entry does not match a signed digest",
};

/** Recomputes the chain on the service, when it is asked to. */
export function Verify() {
  const query = useQuery({ ...read("audit.verify"), enabled: false, gcTime: 0 });
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="min-w-0" aria-live="polite">
          {query.data === undefined ? (
            <p className="text-muted">Verify the hash chain to find out whether an entry was changed or removed.</p>
          ) : (
            <Verdict found={query.data} />
          )}
        </div>
        <Button
          icon={<ShieldCheck aria-hidden size={15} />}
          isPending={query.isFetching}
          onPress={() => void query.refetch()}
        >
          Verify chain
        </Button>
      </div>
      {query.isError ? <ErrorNote error={query.error} /> : null}
    </Card>
  );
}

function Verdict({ found }: { readonly found: wire.AuditVerification }) {
  const rows = `${found.checked.toLocaleString("en")} ${found.checked === 1 ? "entry" : "entries"}`;
  if (found.ok) return <StatusLight tone="good">Chain verified: {rows} checked.</StatusLight>;
  return (
    <div>
      <StatusLight tone="bad">The chain is broken at entry {found.first_bad_seq}</StatusLight>
      <p className="text-sm text-muted">
        Unchanged before the break: {rows}. At the break, {REASONS[found.reason ?? ""] ?? "the cause is unknown"}. Do
        not change the database, and compare it with a backup.
      </p>
    </div>
  );
}
