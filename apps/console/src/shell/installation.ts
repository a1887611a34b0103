import { useQuery } from "@tanstack/react-query";
import { read } from "../api/api.ts";
import type { wire } from "../api/api.ts";
import { useAccess } from "../session/session.ts";

/** What only the installation's operator sees. */
export type OperatorFacts = NonNullable<wire.Installation["operator"]>;

/** This installation, with what its operator sees of it; undefined for others and until it is read. */
export function useInstallation(): (wire.Installation & { readonly operator: OperatorFacts }) | undefined {
  const { role } = useAccess();
  // Not `may`, which is true until the roles are read: other roles would be refused, and the request log show it.
  const { data } = useQuery({ ...read("installation.get"), enabled: role === "owner" || role === "admin" });
  return data === undefined || data.operator === null ? undefined : { ...data, operator: data.operator };
}
