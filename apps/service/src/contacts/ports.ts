import type { Tx } from "../platform/db/db.ts";
import type { Instant, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";

/** One accepted inbound receipt, or another source of an activity. */
export interface Arrival {
  readonly scope: Scope;
  /** An address, which is normalized here. An address that `normalizeEmail` does not accept throws. */
  readonly email: string;
  /** The name is set on the contact, unless a newer update has set one. */
  readonly name: string | null;
  readonly activity: NewActivity;
}

export interface NewActivity {
  /** An activity that exists already is not changed and does not count again. */
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

/** Another module that stores data about people, such as receipts. It takes part in the export and in the erasure. */
export interface PersonalData {
  /** The member of the export that contains its rows. */
  readonly name: string;
  /**
   * Returns everything that is stored about the contact, in the form of the export. `contactIds` are all ids that the
   * contact ever had.
   */
  read(scope: Scope, contactIds: readonly Uuid[]): AsyncIterable<object>;
  /**
   * Removes the person from everything that is stored, in the transaction that erases the contact. The transaction is
   * tried again if it throws `OvertakenError`.
   */
  erase(tx: Tx, scope: Scope, contactIds: readonly Uuid[]): Promise<void>;
}
