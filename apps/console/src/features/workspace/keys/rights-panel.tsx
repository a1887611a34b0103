import { Check, X } from "lucide-react";
import { useState } from "react";
import { cx, TextField } from "../../../ui/ui.ts";
import type { Right } from "./rights.ts";

/** "What may this key do": counted, listed, searched, as the form changes. */
export function RightsPanel({ rights }: { readonly rights: readonly Right[] }) {
  const [text, setText] = useState("");
  const allowed = rights.filter((right) => right.isAllowed);
  const shown = rights.filter((right) => right.operation.includes(text.trim().toLowerCase()));
  return (
    <section
      aria-label="Permissions of this key"
      className="flex min-h-0 flex-col gap-2 rounded-lg border border-line bg-sunken p-3"
    >
      <h3 className="text-sm font-semibold">Permissions of this key</h3>
      <p role="status" className="text-sm text-muted">
        <strong className="tabular text-ink">{allowed.length}</strong> of {rights.length} operations, including{" "}
        <strong className="tabular text-ink">{allowed.filter((right) => right.access === "write").length}</strong> write
        operations.
      </p>
      <TextField label="Find operation" placeholder="events.fire" mono value={text} onChange={setText} />
      <ul aria-label="Operations" tabIndex={0} className="max-h-72 min-h-24 overflow-y-auto text-xs">
        {shown.map((right) => (
          <li key={right.operation} className="flex items-center gap-2 py-0.5">
            {right.isAllowed ? (
              <Check aria-hidden size={13} className="shrink-0 text-good" />
            ) : (
              <X aria-hidden size={13} className="shrink-0 text-bad" />
            )}
            <code className={cx("truncate", !right.isAllowed && "text-muted line-through")}>{right.operation}</code>
            <span className="sr-only">{right.isAllowed ? "allowed" : "not allowed"}</span>
          </li>
        ))}
        {shown.length === 0 ? <li className="text-muted">The role has no operation with this name.</li> : null}
      </ul>
    </section>
  );
}
