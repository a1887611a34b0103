import { useQuery } from "@tanstack/react-query";
import { createContext, use, useMemo } from "react";
import type { ReactNode } from "react";
import { read } from "../api/api.ts";
import type { OperationName } from "../api/api.ts";

/** The permissions of the caller, and what the page around the screens offers. */
export interface Access {
  /** Returns true if the caller may call the operation, and while the role's operations are not known, because the service decides anyway. */
  may(operation: OperationName): boolean;
  readonly role: string;
  /** Set in the portal, which has some of the console's pages and shows no code. */
  readonly portal?: {
    hasPage(pathname: string): boolean;
    /** The customer of the session, and what it may do. */
    readonly tenant: string;
    readonly capabilities: readonly string[];
  };
}

const AccessContext = createContext<Access | null>(null);

export function AccessProvider({ access, children }: { readonly access: Access; readonly children: ReactNode }) {
  return <AccessContext value={access}>{children}</AccessContext>;
}

/** Provides the permissions of a person's role. */
export function RoleAccess({ role, children }: { readonly role: string; readonly children: ReactNode }) {
  const roles = useQuery({ ...read("roles.list"), staleTime: Infinity });
  const granted = roles.data?.data.find((one) => one.role === role)?.operations;
  const access = useMemo(() => {
    const names = granted === undefined ? undefined : new Set(granted.map(({ name }) => name));
    return { role, may: (operation: OperationName) => names === undefined || names.has(operation) };
  }, [role, granted]);
  return <AccessProvider access={access}>{children}</AccessProvider>;
}

/** Returns the permissions of the caller. A button for a forbidden operation is shown disabled, with the reason. */
export function useAccess(): Access {
  const access = use(AccessContext);
  if (access === null) throw new Error("useAccess needs an AccessProvider above it");
  return access;
}

/** Returns the portal that the component is shown in; undefined in the console, also before sign-in. */
export function usePortal(): Access["portal"] {
  return use(AccessContext)?.portal;
}
