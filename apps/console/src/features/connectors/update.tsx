import { useState } from "react";
import { useWrite } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { Button, Card, ConfirmDialog, KeyValue, toastOutcome } from "../../ui/ui.ts";
import type { KeyValueRow } from "../../ui/ui.ts";
import { useIsOfLive } from "./installation.tsx";

/** Shows that the folder contains another version: its additional permissions, and the button that runs it. */
export function Update({ connector }: { readonly connector: wire.Connector }) {
  const [isAsking, setAsking] = useState(false);
  const access = useAccess();
  const enable = useWrite("connectors.enable", { refreshes: ["connectors.", "action_contracts."] });
  const { update } = connector;
  // In the sandbox, a version that differs from live is set up for the sandbox alone.
  const isOfLive = useIsOfLive(connector);
  if (update === null || isOfLive) return null;
  const wider = widening(update.adds);
  const verb = update.downgrade ? "Downgrade to" : "Update to";
  return (
    <Card
      title={`Version ${update.version} is available`}
      description={
        update.downgrade
          ? "This version is older than the running version. It runs only when you enable it."
          : "The update runs only when you enable it. Review its additional permissions first."
      }
      actions={
        <Button
          variant="primary"
          isDisabled={!access.may("connectors.enable") || !connector.enabled}
          onPress={() => setAsking(true)}
        >
          {verb} {update.version}
        </Button>
      }
    >
      {wider.length === 0 ? (
        <p className="text-muted">This version requests no additional permissions.</p>
      ) : (
        <KeyValue rows={wider} />
      )}
      <ConfirmDialog
        title={`${verb} ${update.version}`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirmLabel={`${verb} ${update.version}`}
        isDangerous={update.downgrade}
        isPending={enable.isPending}
        onConfirm={() =>
          enable.mutate(
            {
              path: { key: connector.key },
              body: { digest: update.digest, ...(update.downgrade ? { allow_downgrade: true } : {}) },
            },
            { ...toastOutcome(`Version ${update.version} is now running.`), onSettled: () => setAsking(false) },
          )
        }
      >
        {wider.length === 0 ? <p>This version requests no additional permissions.</p> : <KeyValue rows={wider} />}
      </ConfirmDialog>
    </Card>
  );
}

/** Returns the additional permissions of a version. */
export function widening(adds: Omit<wire.ConnectorWidening, "mail">): KeyValueRow[] {
  const rows: [string, readonly string[]][] = [
    ["Additional hosts", adds.egress],
    ["Additional events received", adds.events],
    ["Additional events fired", adds.fires],
    ["Additional data read", adds.reads],
    ["Additional actions", adds.actions],
    ["Changed actions", adds.changed_actions],
  ];
  return rows
    .filter(([, names]) => names.length > 0)
    .map(([label, names]) => ({
      label,
      value: <span className="font-mono text-sm break-words">{names.join(", ")}</span>,
    }));
}
