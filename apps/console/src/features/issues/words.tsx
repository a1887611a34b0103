import type { wire } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { labelOf, StatusLight } from "../../ui/ui.ts";
import type { Tone } from "../../ui/ui.ts";

export const KINDS: Readonly<Record<wire.Issue["kind"], string>> = {
  delivery: "Deliveries",
  transform: "Transformation",
  source: "Source",
  connection: "Connector",
  broker: "Broker",
  action: "Action",
};

const TONES: Readonly<Record<wire.Issue["state"], Tone>> = {
  open: "bad",
  acknowledged: "warn",
  ignored: "neutral",
  resolved: "good",
};

export function IssueLight({ issue: { state } }: { readonly issue: Pick<wire.Issue, "state"> }) {
  return <StatusLight tone={TONES[state] ?? "neutral"}>{labelOf(state)}</StatusLight>;
}

/** Returns the page of the object that fails. */
export function objectPath({ kind, object_id: id }: wire.Issue): string {
  if (kind === "action") return paths.action(id);
  if (kind === "connection") return paths.connector(id);
  return kind === "source" || kind === "broker" ? paths.source(id) : paths.endpoint(id);
}
