import { useQuery } from "@tanstack/react-query";
import { read } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import { useAccess } from "../session/session.ts";

/** The facts that only the installation's operator sees. */
export type OperatorFacts = NonNullable<wire.Installation["operator"]>;

/** Returns this installation with the operator's facts; undefined for others and until it is read. */
export function useInstallation(): (wire.Installation & { readonly operator: OperatorFacts }) | undefined {
  const { role } = useAccess();
  // `may` is not used, because it is true until the roles are read: other roles would be refused, and the request log would show it.
  const { data } = useQuery({ ...read("installation.get"), enabled: role === "owner" || role === "admin" });
  return data === undefined || data.operator === null ? undefined : { ...data, operator: data.operator };
}
