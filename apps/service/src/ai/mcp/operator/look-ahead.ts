import type { AccessChecks } from "../../../access/access.ts";
import type { Admitted, App } from "../../../accounts/accounts.ts";
import type { ExampleRead } from "../../../actions/actions.ts";
import { isRecord, membersOf, randomText, scanJson } from "../../../lib/lib.ts";
import { boundCall, operationOfCall, underScope } from "./operator-call.ts";
import type { OperatorCall } from "./operator-call.ts";
import { bounded } from "./operator-result.ts";
import { perform } from "./perform.ts";

export interface LookAheadDeps {
  readonly accessChecks: AccessChecks;
  readonly baseUrl: string;
}

/** The change of a write, for the person who decides. */
export interface LookAhead {
  /** The number of objects that change. */
  readonly count: number;
  /** One of them; null if there is none, or the key may not read it. */
  readonly example: unknown;
}

/** Reads what a write would change, with the caller's own rights, and changes nothing. Throws 404 for an unknown object. */
export async function lookAhead(
  deps: LookAheadDeps,
  app: App,
  caller: Admitted,
  call: OperatorCall,
): Promise<LookAhead> {
  const { counts, examples } = call.action;
  const count = counts === true ? await countOf(deps, app, caller, call) : 1;
  if (count === 0) return { count, example: null };
  const reads = examples?.(membersOf(call.argumentsText)) ?? [];
  for (const read of reads) {
    const example = await exampleOf(deps, app, caller, read);
    if (example !== null) return { count, example };
  }
  return { count, example: null };
}

async function countOf(deps: LookAheadDeps, app: App, caller: Admitted, call: OperatorCall): Promise<number> {
  const { body } = call.bound;
  const dry = { ...call, bound: { ...call.bound, body: { ...(isRecord(body) ? body : {}), dry_run: true } } };
  const operation = operationOfCall(dry, false);
  return Number(membersOf(await perform(deps, { app, caller, call: dry, operation, once: randomText(27) }))["count"]);
}

async function exampleOf(
  deps: LookAheadDeps,
  app: App,
  caller: Admitted,
  { tool, fits, ...args }: ExampleRead,
): Promise<unknown> {
  const call = boundCall(app.operationTable, tool, scanJson(Buffer.from(JSON.stringify(args.arguments))));
  if (call === undefined) throw new Error(`${tool} has no such action`);
  const operation = underScope(call.bound.entry.operation, false);
  if (!deps.accessChecks.permits(caller.key, operation)) return null;
  const text = await perform(deps, { app, caller, call, operation, once: randomText(27) });
  const { value: found } = bounded(text, call.action.without ?? []);
  if (!isRecord(found) || found["object"] !== "list") return found;
  const rows = Array.isArray(found["data"]) ? found["data"].filter(isRecord) : [];
  return rows.find((row) => fits?.(row) ?? true) ?? null;
}
