import { read } from "../../api/api.ts";
import type { wire } from "../../api/api.ts";
import { labelOf } from "../../ui/ui.ts";
import type { FinderGroup } from "../../ui/ui.ts";

/** All senders. They change only with the service. */
export const SENDERS = { ...read("senders.list"), staleTime: Infinity };
/** All presets. They change only with the service. */
export const PRESETS = { ...read("inbound_presets.list"), staleTime: Infinity };

/** The sender or preset of a new source. */
export type Origin =
  | { readonly kind: "sender"; readonly sender: wire.Sender }
  | { readonly kind: "preset"; readonly preset: wire.InboundPreset };

const OTHER = "preset ";

/** Returns the choices for a new source: the senders by category, then the presets. */
export function groupsOf(senders: readonly wire.Sender[], presets: readonly wire.InboundPreset[]): FinderGroup[] {
  const categories = [...new Set(senders.map(({ category }) => category))];
  return [
    ...categories.map((category) => ({
      id: category,
      label: labelOf(category),
      items: senders
        .filter((sender) => sender.category === category)
        .map(({ key, title, description }) => ({ id: key, label: title, detail: description }))
        .toSorted((a, b) => a.label.localeCompare(b.label, "en")),
    })),
    {
      id: "presets",
      label: "Other systems",
      items: presets.map(({ key, name, description }) => ({ id: OTHER + key, label: name, detail: description })),
    },
  ];
}

export function originOf(
  id: string,
  senders: readonly wire.Sender[],
  presets: readonly wire.InboundPreset[],
): Origin | undefined {
  const preset = presets.find(({ key }) => OTHER + key === id);
  if (preset !== undefined) return { kind: "preset", preset };
  const sender = senders.find(({ key }) => key === id);
  return sender === undefined ? undefined : { kind: "sender", sender };
}
