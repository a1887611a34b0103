import type { wire } from "../api/api.ts";
import { Badge, optionsOf } from "../ui/ui.ts";
import type { FilterField } from "../ui/ui.ts";

/** The filter of lists with objects of both environments. */
export const ENVIRONMENT_FILTER: readonly FilterField[] = [
  { name: "environment", label: "Environment", options: optionsOf(["live", "sandbox"]), isPinned: true },
];

/** An object of one environment, which may act in both. */
export interface OfEnvironment {
  readonly environment: wire.Environment;
  readonly acts_in: readonly wire.Environment[];
}

/** Labels the environments in which an object acts. */
export function EnvironmentBadge({ of }: { readonly of: OfEnvironment }) {
  if (of.environment === "sandbox") return <Badge tone="warn">Sandbox only</Badge>;
  return <Badge>{of.acts_in.includes("sandbox") ? "Live and sandbox" : "Live only"}</Badge>;
}
