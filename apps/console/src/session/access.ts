import { useQuery } from "@tanstack/react-query";
import { read } from "../api/api.ts";
import type { OperationName } from "../api/api.ts";
import { useSession } from "./provider.tsx";

export interface Access {
  /** Whether the person's role lets them do it; true while that is not known, because the service decides anyway. */
  may(operation: OperationName): boolean;
  readonly role: string;
}

/** What the signed-in person may do. A button for what they may not is shown disabled, with the reason. */
export function useAccess(): Access {
  const { member } = useSession();
  const roles = useQuery({ ...read("roles.list"), staleTime: Infinity });
  const granted = roles.data?.data.find((one) => one.role === member.role)?.operations;
  return {
    role: member.role,
    may: (operation) => granted === undefined || granted.some((one) => one.name === operation),
  };
}
