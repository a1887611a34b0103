import type { ChangesView } from "./plan-view.ts";
import { SECTIONS } from "./kinds/kind.ts";

interface Line {
  readonly name: string;
  readonly value: string;
}

/** The preview that people see before they approve a plan. */
interface PlanPreview {
  readonly count: number;
  readonly summary: string;
  readonly lines: readonly Line[];
}

/** The number of objects that are named one by one. */
const MOST_NAMED = 100;

/** Returns the counts by action and kind, and a line for each object. Names and values are those of the configuration. */
export function planPreview({ create, update, delete: remove }: ChangesView): PlanPreview {
  const groups = { create, update, delete: remove };
  const counts = Object.entries(groups).flatMap(([name, of]) =>
    of.length === 0 ? [] : [{ name, value: countsOf(of) }],
  );
  const objects = [
    ...create.map(({ kind, name }) => ({ name: `create ${kind}`, value: name })),
    ...update.map((one) => ({ name: `update ${one.kind}`, value: updateText(one) })),
    ...remove.map((one) => ({ name: `delete ${one.kind}`, value: deletionText(one) })),
  ];
  const more = objects.length - MOST_NAMED;
  return {
    count: objects.length,
    summary: `Changes ${objectsText(objects.length)} of the configuration in live, exactly as planned. If one of them is changed before, nothing is changed.`,
    lines: [
      ...counts,
      ...objects.slice(0, MOST_NAMED),
      ...(more > 0 ? [{ name: "more", value: `${objectsText(more)} are not listed here.` }] : []),
    ],
  };
}

function countsOf(objects: readonly { readonly kind: string }[]): string {
  const counts = Object.entries(SECTIONS).flatMap(([section, kind]) => {
    const { length } = objects.filter((one) => one.kind === kind);
    return length === 0 ? [] : [`${length} ${words(length === 1 ? kind : section)}`];
  });
  return counts.join(", ");
}

function words(name: string): string {
  return name.replaceAll("_", " ");
}

function updateText({ name, renamed_from: before, changes }: ChangesView["update"][number]): string {
  const changed = changes.map(({ path, from, to }) => `${path} ${valueText(from)} -> ${valueText(to)}`);
  return `${name}${before === undefined ? "" : ` (was ${before})`}: ${changed.join("; ")}`;
}

/**
 * The redaction of proposals hides what follows the name of a secret and a colon. People must see which stored secret an object uses,
 * and its name is not secret.
 */
function valueText(value: unknown): string {
  return value === undefined ? "(absent)" : JSON.stringify(value).replaceAll(/"(key_)?secret_ref":/g, '"$1stored":');
}

function deletionText({ name, pending_deliveries: pending }: ChangesView["delete"][number]): string {
  return pending === undefined ? name : `${name}, with ${pending} pending ${pending === 1 ? "delivery" : "deliveries"}`;
}

function objectsText(count: number): string {
  return count === 1 ? "1 object" : `${count} objects`;
}
