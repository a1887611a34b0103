import type { wire } from "../../api/api.ts";
import { shownAddress } from "../../shared/shared.ts";
import { RelativeTime } from "../../ui/ui.ts";
import { EndpointSwitch } from "./endpoint-switch.tsx";

/** Switches the endpoint of a row on or off. */
export function RowSwitch({ endpoint }: { readonly endpoint: wire.ListedWebhookEndpoint }) {
  return (
    <EndpointSwitch endpoint={endpoint}>
      <span className="sr-only">Deliver to {shownAddress(endpoint)}</span>
    </EndpointSwitch>
  );
}

export { RelativeTime };
