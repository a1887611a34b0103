import type { ReactNode } from "react";
import { useAccess } from "../../session/session.ts";
import { Button } from "../../ui/ui.ts";

export interface SaveSourceProps {
  readonly children: ReactNode;
  readonly isPending: boolean;
  /** True while there is nothing to save. */
  readonly isDisabled?: boolean;
}

/** The button that sends a form of a source's settings. Only those who may change sources can press it. */
export function SaveSource({ children, isPending, isDisabled = false }: SaveSourceProps) {
  const access = useAccess();
  return (
    <div>
      <Button
        type="submit"
        variant="primary"
        isPending={isPending}
        isDisabled={isDisabled || !access.may("inbound_endpoints.update")}
      >
        {children}
      </Button>
    </div>
  );
}
