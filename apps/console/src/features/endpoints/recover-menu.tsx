import { useState } from "react";
import type { wire } from "../../api/api.ts";
import { useAccess, usePortal } from "../../session/session.ts";
import { ReplayDialog } from "../../shared/shared.ts";
import type { ReplayWish } from "../../shared/shared.ts";
import { Button, Menu } from "../../ui/ui.ts";
import { BackfillDialog } from "./backfill-dialog.tsx";

/** Offers the ways to catch up after a receiver was down: retries now, failed deliveries again, and missed events. */
export function RecoverMenu({ endpoint: { id, active } }: { readonly endpoint: wire.WebhookEndpoint }) {
  const { may } = useAccess();
  const isPortal = usePortal() !== undefined;
  const [wish, setWish] = useState<ReplayWish | null>(null);
  const [jobId, setJobId] = useState<string | null>(null);
  const [isBackfilling, setBackfilling] = useState(false);
  const [mayReplay, mayBackfill] = [may("replays.create"), may("webhook_endpoints.backfill")];
  // A customer without these capabilities is not shown what it cannot do.
  if (isPortal && !mayReplay && !mayBackfill) return null;
  const ask = (state: "pending" | "failed") => (): void => setWish({ filter: { endpoint_id: id, state } });
  const close = (): void => {
    setWish(null);
    setJobId(null);
  };
  return (
    <>
      <Menu
        label="Recover"
        trigger={<Button>Recover</Button>}
        actions={[
          { id: "retry", label: "Retry all now", isDisabled: !mayReplay || !active, onAction: ask("pending") },
          {
            id: "replay",
            label: "Replay failed deliveries",
            isDisabled: !mayReplay || !active,
            onAction: ask("failed"),
          },
          {
            id: "backfill",
            label: "Send missed events",
            isDisabled: !mayBackfill || !active,
            onAction: () => setBackfilling(true),
          },
        ]}
      />
      <ReplayDialog wish={wish} jobId={jobId} onStarted={setJobId} onClose={close} />
      {isBackfilling ? <BackfillDialog endpointId={id} onClose={() => setBackfilling(false)} /> : null}
    </>
  );
}
