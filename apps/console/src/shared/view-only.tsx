import { usePortal } from "../session/session.ts";

/** Says that the form below can be read, and not saved. A customer in the portal has no role. */
export function ViewOnly({ what, it }: { readonly what: string; readonly it: string }) {
  const who = usePortal() === undefined ? "Your role" : "You";
  return (
    <p className="text-sm text-muted">
      {who} can view {what}, but can't change {it}.
    </p>
  );
}
