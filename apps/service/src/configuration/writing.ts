import type { Caller } from "../accounts/accounts.ts";
import type { Comparison, Part, Update } from "./comparison.ts";
import type { Document } from "./kinds/documents.ts";
import type { SentObject } from "./file.ts";
import type { Held, Kind } from "./kinds/kind.ts";
import { withHeaderValues } from "./secrets.ts";

/** One write of an object. */
export interface Write {
  readonly kind: Kind;
  readonly does: "create" | "update" | "delete";
  readonly name: string;
  /** The place in the configuration; null for an object that it does not contain. */
  readonly place: SentObject["place"] | null;
  readonly changed: readonly string[];
  run(caller: Caller): Promise<void>;
}

/** Returns the writes of a comparison in their order: what is referred to comes first, and deletions are last. */
export function writesOf(comparison: Comparison): Write[] {
  const { parts } = comparison;
  return [
    ...parts.flatMap((part) => [
      ...part.update.map((one) => updating(comparison, part, one)),
      ...part.create.map(({ wanted, document }) => creating(comparison, part, { wanted, document })),
    ]),
    ...parts.toReversed().flatMap((part) => part.remove.map((held) => deleting(part, held))),
  ];
}

function creating(
  { references, headerValues }: Comparison,
  { kind }: Part,
  { wanted: { name, place }, document }: { readonly wanted: SentObject; readonly document: Document },
): Write {
  return {
    kind,
    does: "create",
    name,
    place,
    changed: [],
    run: async (caller) => await kind.create(caller, withHeaderValues(document, headerValues), references),
  };
}

function updating({ references, headerValues }: Comparison, { kind }: Part, update: Update): Write {
  const { wanted, held, changed } = update;
  return {
    kind,
    does: "update",
    name: wanted.name,
    place: wanted.place,
    changed: [...changed],
    async run(caller) {
      const document = withHeaderValues(update.document, headerValues);
      await kind.change(caller, { held, document, changed }, references);
    },
  };
}

function deleting({ kind }: Part, held: Held): Write {
  return {
    kind,
    does: "delete",
    name: held.name,
    place: null,
    changed: [],
    run: async (caller) => await kind.remove?.(caller, held),
  };
}
