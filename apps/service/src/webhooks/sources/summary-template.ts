import { fillTemplate, readTemplate } from "../../lib/lib.ts";
import type { Path, Template } from "../../lib/lib.ts";

/** The texts around the tokens of the tenant. */
type SummaryTemplate = readonly Template[];

/** The token of the source's tenant. No path begins with `@`, so that a payload's own `tenant` has another token. */
const TENANT = "${@tenant}";

/** Reads a template whose tokens are paths of the payload, or the source's tenant. Undefined if a token is neither. */
export function readSummaryTemplate(text: string): SummaryTemplate | undefined {
  const read = text.split(TENANT).map((part) => readTemplate(part));
  const parts = read.filter((part) => part !== undefined);
  return parts.length === read.length ? parts : undefined;
}

/** Inserts the values. A source without a tenant inserts nothing for it. */
export function fillSummary(template: SummaryTemplate, valueAt: (path: Path) => string, tenant: string | null): string {
  return template.map((part) => fillTemplate(part, valueAt)).join(tenant ?? "");
}
