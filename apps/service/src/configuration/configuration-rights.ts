import { assertAllowed } from "../access/access.ts";
import type { AccessChecks } from "../access/access.ts";
import { MEMBER_ROLES } from "../accounts/accounts.ts";
import type { Caller, Role } from "../accounts/accounts.ts";
import { pointerOf, ServiceError } from "../lib/lib.ts";
import type { ErrorCode, Violation } from "../lib/lib.ts";
import type { Write } from "./writing.ts";

/** Throws 403 with each place of a write that the caller may not do by its own operation. */
export function assertMayWrite(
  accessChecks: Pick<AccessChecks, "mayCall" | "operations">,
  { key }: Caller,
  writes: readonly Write[],
): void {
  const refusals = writes.flatMap((write) =>
    operationsOf(write).flatMap((name) => {
      const code = operationRefusal(accessChecks, key, name);
      return code === undefined ? [] : [{ code, fault: writeFault(write, code, name) }];
    }),
  );
  const [first] = refusals;
  if (first === undefined) return;
  throw new ServiceError(first.code, {
    detail: "The caller may not make all of these changes. Nothing was changed.",
    errors: refusals.map(({ fault }) => fault),
  });
}

/** Returns the roles of people who may make all of the writes by hand. */
export function rolesFor({ operations }: Pick<AccessChecks, "operations">, writes: readonly Write[]): Role[] {
  const names = new Set(["configuration.apply", ...writes.flatMap(operationsOf)]);
  return MEMBER_ROLES.filter((role) => [...names].every((name) => operations.get(name)?.roles.includes(role) === true));
}

function operationsOf({ kind, does, changed }: Write): string[] {
  const { operations, toggle } = kind;
  return toggle !== undefined && changed.includes("active") ? [operations[does], toggle] : [operations[does]];
}

function operationRefusal(
  { mayCall, operations }: Pick<AccessChecks, "mayCall" | "operations">,
  key: Caller["key"],
  name: string,
): ErrorCode | undefined {
  const operation = operations.get(name);
  if (operation === undefined) throw new Error(`no route has the operation ${name}`);
  if (mayCall(key, name)) return undefined;
  try {
    assertAllowed(key, operation);
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
  return "role_not_allowed";
}

function writeFault({ place, kind, name, does }: Write, code: ErrorCode, operation: string): Violation {
  const pointer = place === null ? `/configuration/${kind.section}` : pointerOf(place);
  return { pointer, code, message: `requires ${operation}, to ${does} ${name}` };
}
