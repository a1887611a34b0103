import type { Caller } from "../accounts/accounts.ts";
import { pointerOf, ServiceError } from "../lib/lib.ts";
import type { ErrorCode, Violation } from "../lib/lib.ts";
import type { Db } from "../platform/db/db.ts";
import { compare } from "./comparison.ts";
import type { Comparison, ComparisonDeps, SentConfiguration } from "./comparison.ts";
import type { Write } from "./writing.ts";
import { writesOf } from "./writing.ts";

/** The maximum number of faults in a response. */
const MOST_FAULTS = 100;

/**
 * Makes the changes in a transaction that is undone, so that each domain judges them as it judges its own calls. Throws one refusal with
 * all places: 403 for rights, 409 for an incompatible schema, otherwise 422.
 */
export async function tryOut(
  deps: ComparisonDeps & { readonly db: Db },
  caller: Caller,
  given: SentConfiguration,
  comparison: Comparison,
): Promise<void> {
  const writes = writesOf(comparison).filter(({ does }) => does !== "delete");
  if (writes.length === 0) return;
  const unit = deps.db.unit();
  try {
    await unit.run(async () => {
      const refusals: Refusal[] = [];
      for (const write of writes) refusals.push(...(await refusalsOf(caller, write)));
      if (refusals.length > 0) throw together(refusals);
      const left = await compare(deps, caller, { ...given, prune: false });
      const lost = writesOf(left);
      if (lost.length > 0) throw together(lost.map(notKept));
    });
  } finally {
    await unit.rollback();
  }
}

interface Refusal {
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: readonly Violation[];
}

async function refusalsOf(caller: Caller, write: Write): Promise<Refusal[]> {
  try {
    await write.run(caller);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind.status >= 500) throw error;
    return [refusalAt(write, error)];
  }
}

function refusalAt({ place }: Write, { code, kind, details }: ServiceError): Refusal {
  const at = pointerOf(place ?? []);
  const { errors, detail } = details;
  const own: Violation = { pointer: at, code, message: detail ?? kind.title };
  return {
    code,
    status: kind.status,
    errors: errors === undefined ? [own] : errors.map((one) => ({ ...one, pointer: at + one.pointer })),
  };
}

function notKept({ place, changed }: Write): Refusal {
  const message = `would be stored with another value: ${changed.join(", ")}. Write what an export shows after the change`;
  return {
    code: "validation_failed",
    status: 422,
    errors: [{ pointer: pointerOf(place ?? []), code: "not_kept", message }],
  };
}

function together(refusals: readonly Refusal[]): ServiceError {
  const first =
    refusals.find(({ status }) => status === 403) ?? refusals.find(({ code }) => code === "schema_incompatible");
  return new ServiceError(first?.code ?? "validation_failed", {
    detail: "The configuration was refused as a whole. Nothing was changed.",
    errors: refusals.flatMap(({ errors }) => errors).slice(0, MOST_FAULTS),
  });
}
