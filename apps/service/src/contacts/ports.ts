import type { Tx } from "../platform/db/db.ts";
import type { Instant, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";

/** One accepted inbound receipt, or another source of an activity. */
export interface Arrival {
  readonly scope: Scope;
  /** An address; folded here. One that `normalizeEmail` does not take is refused: throws. */
  readonly email: string;
  /** Put onto the contact unless newer news has named it. */
  readonly name: string | null;
  readonly activity: NewActivity;
}

export interface NewActivity {
  /** An activity that is there already is left as it is and counts nothing. */
  readonly id: Uuid;
  readonly kind: "inbound" | "event" | "action" | "note";
  readonly eventType: string;
  readonly summary: string;
  /** Exact decimal text. */
  readonly value: string | null;
  readonly scoreDelta: number;
  readonly occurredAt: Instant;
  readonly receiptId: Uuid | null;
}

/** Another module that keeps something of a person, such as receipts: it takes part in the export and in the erasure. */
export interface PersonalData {
  /** The member of the export that holds its rows. */
  readonly name: string;
  /** Everything kept of the contact, as it is to be exported. `contactIds` are all ids that the contact ever had. */
  read(scope: Scope, contactIds: readonly Uuid[]): AsyncIterable<object>;
  /** Takes the person out of everything kept, in the transaction that erases the contact. */
  erase(tx: Tx, scope: Scope, contactIds: readonly Uuid[]): Promise<void>;
}
