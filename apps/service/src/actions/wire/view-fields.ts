import { fromDate, toRfc3339, uuidTime, wireId } from "../../lib/lib.ts";
import type { IdPrefix, Tag, Uuid } from "../../lib/lib.ts";
import { scopeFields } from "../../accounts/accounts.ts";
import type { Scope } from "../../accounts/accounts.ts";

/** Returns the wire id of a record that another one may refer to. */
export function toWireId(prefix: IdPrefix, tag: Tag, id: Uuid | null): string | null {
  return id === null ? null : wireId(prefix, tag, id);
}

export function moment(at: Date | null): string | null {
  return at === null ? null : toRfc3339(fromDate(at));
}

/** Returns the members of a record that say whose it is and when it began. */
export function owned(scope: Scope, id: Uuid): object {
  return { ...scopeFields(scope), created_at: toRfc3339(uuidTime(id)) };
}
