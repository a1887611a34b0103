import type { ReactNode } from "react";
import { Button, CodeBlock } from "../../../ui/ui.ts";

interface RecoveryCodesProps {
  readonly label: string;
  readonly codes: readonly string[];
  /** Label of the button that hides them. */
  readonly doneLabel: string;
  readonly onDone: () => void;
  /** The purpose of the codes. */
  readonly children: ReactNode;
}

/** Shows new recovery codes, once. */
export function RecoveryCodes({ label, codes, doneLabel, onDone, children }: RecoveryCodesProps) {
  return (
    <>
      <p className="text-muted">{children} They are shown only once.</p>
      <CodeBlock label={label} text={codes.join("\n")} />
      <div>
        <Button variant="primary" onPress={onDone}>
          {doneLabel}
        </Button>
      </div>
    </>
  );
}
