import { useMutation } from "@tanstack/react-query";
import type { wire } from "../api/api.ts";
import { Table } from "../ui/ui.ts";
import type { TableColumn } from "../ui/ui.ts";
import { JsonBlock } from "./json-block.tsx";
import type { OfEnvironment } from "./environment.tsx";
import { useStepUp } from "./step-up-dialog.tsx";
import { PromotionDialog, PromotionWarnings } from "./promotion-dialog.tsx";

/** Without `dry_run`, promotes the versions that the person has seen. */
interface PromotionRequest {
  readonly dry_run?: boolean;
  readonly source_version?: number;
  readonly live_version?: number | null;
}

export interface PromoteButtonProps {
  /** "rule" */
  readonly noun: string;
  readonly of: OfEnvironment;
  readonly mayPromote: boolean;
  readonly promote: (body: PromotionRequest) => Promise<wire.Promotion>;
  /** The operation and the key, if the promotion can ask the person again who they are. */
  readonly guarded?: { readonly operation: "action_contracts.promote"; readonly id: string };
}

/** Opens the difference between an object of the sandbox and live, and promotes the object. Hidden for live objects. */
export function PromoteButton({ noun, of, mayPromote, promote, guarded }: PromoteButtonProps) {
  const look = useMutation({ mutationFn: async () => await promote({ dry_run: true }) });
  const confirm = useMutation({ mutationFn: promote });
  const stepUp = useStepUp();
  if (of.environment === "live") return null;
  const seen = look.data;
  const press = (done: () => void): void => {
    if (seen === undefined) return;
    const body = { source_version: seen.source_version, live_version: seen.live_version };
    confirm.mutate(body, {
      onSuccess: done,
      ...(guarded === undefined ? {} : { onError: stepUp.orProve({ ...guarded, body }, () => press(done)) }),
    });
  };
  return (
    <PromotionDialog
      noun={noun}
      mayPromote={mayPromote}
      onOpen={() => look.mutate()}
      look={look}
      confirm={confirm}
      isReady={seen !== undefined && seen.effect !== "none"}
      onConfirm={press}
      success={`The ${noun} was promoted to live.`}
    >
      {seen === undefined ? null : <Difference noun={noun} seen={seen} />}
      {stepUp.dialog}
    </PromotionDialog>
  );
}

function Difference({ noun, seen }: { readonly noun: string; readonly seen: wire.Promotion }) {
  return (
    <>
      <p>{effectText(noun, seen)}</p>
      <PromotionWarnings warnings={seen.warnings} />
      {seen.difference.length === 0 ? null : (
        <Table label="Difference" rows={seen.difference} keyOf={(one) => one.path} columns={COLUMNS} />
      )}
    </>
  );
}

function effectText(noun: string, { effect, live_version: version }: wire.Promotion): string {
  if (effect === "create") return `Live does not have this ${noun}. It will be created.`;
  if (effect === "none") return `The ${noun} in live is the same. Nothing to promote.`;
  return `The ${noun} in live has version ${version}. It will be replaced by the next version.`;
}

const COLUMNS: readonly TableColumn<wire.PromotionDifference>[] = [
  { header: "Member", cell: (one) => <code className="text-xs wrap-anywhere">{one.path}</code> },
  { header: "Live", cell: (one) => <JsonBlock label={`${one.path} in live`} value={one.from} empty="Not set." /> },
  {
    header: "Sandbox",
    cell: (one) => <JsonBlock label={`${one.path} in the sandbox`} value={one.to} empty="Not set." />,
  },
];
