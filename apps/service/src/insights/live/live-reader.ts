import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { Kind } from "./listener.ts";

/** Shows one kind of object in the stream. The module that owns the objects provides it. */
export interface NewsReader {
  /** The operation of the list that shows the same objects. The stream omits them for callers who may not call it. */
  readonly operation: string;
  /** Returns the current state of these objects as JSON texts, in the form of their list. */
  read(scope: Scope, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, string>>;
  /** Returns the message for an object that no longer exists. */
  gone(scope: Scope, id: Uuid): string;
}

export type NewsReaders = Readonly<Record<Kind, NewsReader>>;
