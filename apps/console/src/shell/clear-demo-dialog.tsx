import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog, ErrorNote, Skeleton, toast } from "../ui/ui.ts";
import { findDemo } from "./demo.ts";
import type { DemoPart } from "./demo.ts";

/** Lists the existing demo data before deleting it. */
export function ClearDemoDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const found = useQuery({ queryKey: ["demo"], queryFn: findDemo, gcTime: 0, staleTime: 0 });
  const clear = useMutation({
    mutationFn: async () => {
      for (const { removals } of found.data ?? (await findDemo())) for (const remove of removals) await remove();
    },
    onSuccess: () => {
      toast("Demo data deleted.");
      onClose();
    },
    // Objects that were deleted before a failure are gone too.
    onSettled: () => void client.invalidateQueries(),
  });
  return (
    <ConfirmDialog
      isOpen
      title="Delete demo data?"
      confirmLabel="Delete demo data"
      isPending={clear.isPending || found.isPending}
      onConfirm={() => clear.mutate()}
      onClose={onClose}
    >
      {found.isPending ? <Skeleton label="Checking for demo data" lines={2} /> : null}
      {found.isError ? <ErrorNote error={found.error} /> : null}
      {found.isSuccess ? (
        <>
          <p>The following items are deleted. This can't be undone:</p>
          <ul className="list-disc pl-5 text-ink">
            {found.data
              .filter(({ removals }) => removals.length > 0)
              .map((part) => (
                <li key={part.one}>{countOf(part)}</li>
              ))}
          </ul>
          <p>Your own items, the logs and the audit log are kept.</p>
        </>
      ) : null}
      {clear.isError ? <ErrorNote error={clear.error} /> : null}
    </ConfirmDialog>
  );
}

function countOf({ one, many, removals }: DemoPart): string {
  return `${removals.length} ${removals.length === 1 ? one : many}`;
}
