import { Code2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { Input, OperationName } from "../api/api.ts";
import { Button } from "./button.tsx";

export interface ShowAsProps<Name extends OperationName> {
  readonly operation: Name;
  /** What the screen would send; what is empty is left out. */
  readonly input: Input<Name>;
  readonly size?: "sm" | "md";
}

const CodeDialog = lazy(async () => ({ default: (await import("./code-dialog.tsx")).CodeDialog }));

/** "Show as code": the call behind what is on the screen, for a program of one's own. */
export function ShowAs<Name extends OperationName>({ operation, input, size = "md" }: ShowAsProps<Name>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="quiet" size={size} icon={<Code2 aria-hidden size={15} />} onPress={() => setOpen(true)}>
        <span className="max-sm:group-data-compact/actions:sr-only">Code</span>
      </Button>
      {isOpen ? (
        <Suspense>
          <CodeDialog call={{ operation, ...(input as object) }} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
