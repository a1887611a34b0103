import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog, ErrorNote, Skeleton, toast } from "../ui/ui.ts";
import { findDemo } from "./demo.ts";
import type { DemoPart } from "./demo.ts";

interface ClearDemoDialogProps {
  readonly onClose: () => void;
}

/** Says what goes, from what is there, before it does. */
export function ClearDemoDialog({ onClose }: ClearDemoDialogProps) {
  const client = useQueryClient();
  const found = useQuery({ queryKey: ["demo"], queryFn: findDemo, gcTime: 0, staleTime: 0 });
  const clear = useMutation({
    mutationFn: async () => {
      for (const { removals } of found.data ?? (await findDemo())) for (const remove of removals) await remove();
    },
    onSuccess: () => {
      toast("The demo data is gone.");
      onClose();
    },
    // What was taken away before something failed is gone as well.
    onSettled: () => void client.invalidateQueries(),
  });
  return (
    <ConfirmDialog
      isOpen
      title="Clear the demo data?"
      confirmLabel="Clear the demo data"
      isPending={clear.isPending || found.isPending}
      onConfirm={() => clear.mutate()}
      onClose={onClose}
    >
      {found.isPending ? <Skeleton label="Looking what there is" lines={2} /> : null}
      {found.isError ? <ErrorNote error={found.error} /> : null}
      {found.isSuccess ? (
        <>
          <p>These go, and cannot be brought back:</p>
          <ul className="list-disc pl-5 text-ink">
            {found.data
              .filter(({ removals }) => removals.length > 0)
              .map((part) => (
                <li key={part.one}>{countOf(part)}</li>
              ))}
          </ul>
          <p>What you made yourself stays, and so do the logs of what happened and the audit.</p>
        </>
      ) : null}
      {clear.isError ? <ErrorNote error={clear.error} /> : null}
    </ConfirmDialog>
  );
}

function countOf({ one, many, removals }: DemoPart): string {
  return `${removals.length} ${removals.length === 1 ? one : many}`;
}
