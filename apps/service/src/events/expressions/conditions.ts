/**
 * The expression language of rules, workflows and the filters of endpoints (contract, sections 7 and 10): conditions over facts, and templates that are filled with them.
 * It has no regular expressions and no type conversion. Numbers are exact, because their spelling is compared.
 * The parser is our own: CEL would change the format in the API (decision 0265).
 */
export { ALWAYS, evaluate, holds, readCondition, requiredText } from "./condition.ts";
export type { Condition, Verdict } from "./condition.ts";
export { ConditionView, LeafView } from "./conditions.schemas.ts";
export {
  contactSource,
  EVENT_ROOTS,
  eventSources,
  factsOf,
  looksAtContact,
  sourceOfScalar,
  sourceOfText,
} from "./facts.ts";
export type { Fact, Facts } from "./facts.ts";
export { isSameJson } from "./same-json.ts";
export { compileFill, filled, FillError, fillOfMembers, pathsOf, readText, fillText, withinBudget } from "./fill.ts";
export type { Fill } from "./fill.ts";
