import { Code2 } from "lucide-react";
import { useState } from "react";
import type { Input, OperationName } from "../api/api.ts";
import { usePortal } from "../session/session.ts";
import { Button } from "./button.tsx";
import { deferred } from "./deferred.tsx";

export interface ShowAsProps<Name extends OperationName> {
  readonly operation: Name;
  /** The input that the screen would send. Empty values are left out. */
  readonly input: Input<Name>;
  readonly size?: "sm" | "md";
}

const CodeDialog = deferred(async () => (await import("./code-dialog.tsx")).CodeDialog);

/** Shows the call behind the screen as code, for a user's own program. */
export function ShowAs<Name extends OperationName>({ operation, input, size = "md" }: ShowAsProps<Name>) {
  const [isOpen, setOpen] = useState(false);
  // The calls are those of the workspace's own programs.
  if (usePortal() !== undefined) return null;
  return (
    <>
      <Button variant="quiet" size={size} icon={<Code2 aria-hidden size={15} />} onPress={() => setOpen(true)}>
        <span className="max-sm:group-data-compact/actions:sr-only">Show code</span>
      </Button>
      {isOpen ? <CodeDialog call={{ operation, ...(input as object) }} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
