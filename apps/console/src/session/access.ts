import { useQuery } from "@tanstack/react-query";
import { read } from "../api/api.ts";
import type { OperationName } from "../api/api.ts";
import { useSession } from "./provider.tsx";

export interface Access {
  /** Returns true if the person's role allows the operation, and while the role's operations are not known, because the service decides anyway. */
  may(operation: OperationName): boolean;
  readonly role: string;
}

/** Returns the permissions of the signed-in person. A button for a forbidden operation is shown disabled, with the reason. */
export function useAccess(): Access {
  const { member } = useSession();
  const roles = useQuery({ ...read("roles.list"), staleTime: Infinity });
  const granted = roles.data?.data.find((one) => one.role === member.role)?.operations;
  return {
    role: member.role,
    may: (operation) => granted === undefined || granted.some((one) => one.name === operation),
  };
}
