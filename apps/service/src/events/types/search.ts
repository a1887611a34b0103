import type { SearchHit, Sought } from "../../insights/insights.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { everyType } from "./event-types.ts";
import type { EventTypesDeps } from "./event-types.ts";
import { isPublic, nameOf } from "./type-view.ts";
import type { AnyType } from "./type-view.ts";

/** Finds event types by their names, titles and descriptions. A tenant finds only those that the workspace shows. */
export async function findTypes(
  deps: Pick<EventTypesDeps, "db" | "usage">,
  scope: Scope,
  { text, limit }: Sought,
): Promise<SearchHit[]> {
  const wanted = text.toLowerCase();
  const every = await everyType(deps, scope);
  const visible = scope.tenant === undefined || scope.tenant === null ? every : every.filter(isPublic);
  return visible
    .filter((type) => searchedTextOf(type).includes(wanted))
    .slice(0, limit)
    .map(foundOf);
}

function wordsOf(type: AnyType): { readonly title: string | null; readonly description: string | null } {
  return type.catalogued ?? type.row ?? { title: null, description: null };
}

function searchedTextOf(type: AnyType): string {
  const { title, description } = wordsOf(type);
  return [nameOf(type), title, description].join("\n").toLowerCase();
}

function foundOf(type: AnyType): SearchHit {
  return { id: nameOf(type), title: nameOf(type), detail: wordsOf(type).title };
}
