import { pageOfWhole, t } from "../../lib/lib.ts";
import type { AccessChecks } from "../../access/access.ts";
import { callerOf, readers, route } from "../../accounts/accounts.ts";
import type { App } from "../../accounts/accounts.ts";
import { search, SEARCH_KINDS, soughtOf } from "./search.ts";
import type { Searchable } from "./search.ts";

/** The most results of one kind. */
const MOST_OF_KIND = 10;

const SearchQuery = t.Object(
  {
    q: t.StringExample("warehouse", {
      minLength: 2,
      maxLength: 200,
      description:
        "A part of a name, a description, a URL or an address, or the beginning of the external ID of a contact or ticket.",
    }),
    ...t.WholeQuery,
  },
  t.strict,
);
const ResultList = t.ListOf(
  t.Object(
    {
      object: t.OneOf(["search_result"]),
      kind: t.OneOf(SEARCH_KINDS),
      id: t.StringExample(
        "ep_7k2m9qaw01m7w4q17jeay9df1b7sqp908g",
        "The ID of the object. For event types their name, for action contracts their key.",
      ),
      title: t.StringExample("Warehouse"),
      detail: t.Nullable(t.StringExample("https://hooks.example.com/junction")),
    },
    { title: "SearchResult" },
  ),
);

export function searchRoutes(
  app: App,
  deps: { readonly accessChecks: Pick<AccessChecks, "mayCall">; searchables(): readonly Searchable[] },
): void {
  route(app, "GET /v1/search", {
    config: { operation: "search.list", tenants: true, callers: readers },
    operationId: "search",
    summary: "Search",
    description: `Finds endpoints, sources, event types, events by their subject, rules, workflows, action contracts, contacts, tickets, API keys and members. Returns only objects that the caller may list, the newest ${MOST_OF_KIND} of each kind. Of kinds with very many objects, only the newest are searched.`,
    querystring: SearchQuery,
    response: { 200: ResultList },
    handler: async (request) => {
      const { key, scope } = callerOf(request);
      const { q, ...page } = request.query;
      const permitted = deps.searchables().filter(({ operation }) => deps.accessChecks.mayCall(key, operation));
      const text = q.trim();
      const found = text === "" ? [] : await search(permitted, scope, soughtOf(text, MOST_OF_KIND));
      return pageOfWhole(
        found.map((one) => ({ object: "search_result" as const, ...one })),
        page,
        { binding: `search ${text}`, nameOf: ({ kind, id }) => `${kind} ${id}` },
      );
    },
  });
}
