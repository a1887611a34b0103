import type { ReactNode } from "react";
import { useWrite } from "../../api/api.ts";
import { useAccess } from "../../session/session.ts";
import { Switch, toast, toastError } from "../../ui/ui.ts";

interface EndpointSwitchProps {
  readonly endpoint: { readonly id: string; readonly active: boolean };
  /** Label of the switch. */
  readonly children: ReactNode;
}

/** Switches an endpoint on or off. */
export function EndpointSwitch({ endpoint, children }: EndpointSwitchProps) {
  const may = useAccess().may("webhook_endpoints.toggle");
  const toggle = useWrite("webhook_endpoints.toggle", { refreshes: ["webhook_endpoints."] });
  return (
    <Switch
      isSelected={endpoint.active}
      isDisabled={!may || toggle.isPending}
      onChange={() =>
        toggle.mutate(
          { path: { id: endpoint.id } },
          {
            onSuccess: ({ active }) =>
              toast(
                active
                  ? "Endpoint turned on. Pending deliveries are sent."
                  : "Endpoint turned off. New events are not delivered to it.",
              ),
            onError: toastError,
          },
        )
      }
    >
      {children}
    </Switch>
  );
}
