import type { Rule } from "./api.ts";
import { isNamed, memberName } from "./named.ts";
import { placeOf } from "./place.ts";

/** The modules that read JSON of customers and strangers, without the parts of connectors that read only files of the program. */
const judged =
  /^(?:accounts|access|actions|ai|audit|automation|connectors(?!\/(?:sandbox|testkit))|contacts|events|insights|webhooks)\//;

/** Requires our own reader, because JSON.parse misreads some names that are spelled with escapes (nodejs/node#63785). */
export const storedJsonRule: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === undefined || place.isTest || !judged.test(place.path)) return {};
    return {
      MemberExpression(node) {
        if (!isNamed(node.object, "JSON") || memberName(node.property) !== "parse") return;
        context.report({ node, message: "Use parseJson of lib/: JSON.parse misreads some names with escapes." });
      },
    };
  },
};
