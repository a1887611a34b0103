import { usePortal } from "../../session/session.ts";
import { FilterBar } from "../../ui/ui.ts";
import type { FilterField } from "../../ui/ui.ts";

const STATES = [
  { value: "failing", label: "Failing" },
  { value: "healthy", label: "Healthy" },
  { value: "off", label: "Off" },
];

const TENANT: FilterField = { name: "tenant", label: "Tenant", mono: true, placeholder: "acme" };

/** The filters of the list of endpoints. */
export function EndpointFilters({ events }: { readonly events: NonNullable<FilterField["options"]> }) {
  const isPortal = usePortal() !== undefined;
  const fields: readonly FilterField[] = [
    { name: "q", label: "URL or description", isPinned: true, placeholder: "hooks.example.com" },
    { name: "state", label: "State", isPinned: true, options: STATES },
    { name: "event", label: "Event type", isPinned: true, options: events },
    ...(isPortal ? [] : [TENANT]),
  ];
  return <FilterBar fields={fields} />;
}
