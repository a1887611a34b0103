import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Kind } from "./listener.ts";

/** How one kind of news is shown, by the module whose it is. */
export interface NewsReader {
  /** The list that shows the same: who may not read that is not told. */
  readonly operation: string;
  /** JSON texts of these as they are now, as their list shows them. */
  read(scope: Scope, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, string>>;
  /** What is said of one that is no more. */
  gone(scope: Scope, id: Uuid): string;
}

export type NewsReaders = Readonly<Record<Kind, NewsReader>>;
