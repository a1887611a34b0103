import { Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import type { OperationName } from "../api/api.ts";
import { useAccess } from "../session/session.ts";
import { Button } from "./button.tsx";
import { useNavigate } from "./navigation.ts";

interface CreatingProps {
  /** True on the page `…/new`, which opens the dialog. To close it leads to the list then. */
  readonly isNew: boolean;
  /** Path of the list. */
  readonly list: string;
  readonly operation: OperationName;
  /** The words on the button: "Create contact". */
  readonly label: string;
  readonly dialog: (onClose: () => void) => ReactNode;
}

/** Returns the button that opens the dialog that creates an object, and the dialog while it is open. */
export function useCreating({ isNew, list, operation, label, dialog }: CreatingProps) {
  const [isCreating, setCreating] = useState(isNew);
  const navigate = useNavigate();
  const mayCreate = useAccess().may(operation);
  const close = (): void => {
    setCreating(false);
    if (isNew) navigate({ to: list, replace: true });
  };
  return {
    button: (
      <Button
        variant="primary"
        icon={<Plus aria-hidden size={15} />}
        isDisabled={!mayCreate}
        onPress={() => setCreating(true)}
      >
        {label}
      </Button>
    ),
    dialog: isCreating ? dialog(close) : null,
  };
}
