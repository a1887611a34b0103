import { useQueryClient } from "@tanstack/react-query";
import { createContext, use, useMemo } from "react";
import type { ReactNode } from "react";
import { setScope, useScope } from "../api/api.ts";
import type { Environment, wire } from "../api/api.ts";
import { RoleAccess } from "./access.tsx";

/** The signed-in person, and the workspace and environment that they view. */
export interface Session {
  readonly member: wire.Member;
  readonly workspaces: readonly wire.Membership[];
  readonly workspace: wire.Membership;
  readonly environment: Environment;
  readonly isSandbox: boolean;
  switchEnvironment(environment: Environment): void;
  switchWorkspace(workspaceId: string): void;
}

const SessionContext = createContext<Session | null>(null);

/** Provides the session. All components below it can rely on a signed-in person. */
export function SessionProvider({
  answer,
  children,
}: {
  readonly answer: wire.SignedIn;
  readonly children: ReactNode;
}) {
  const { environment, workspaceId } = useScope();
  const client = useQueryClient();
  const session = useMemo(() => {
    const { member, workspaces } = answer;
    const here = workspaceId ?? member.scope_key;
    const found = workspaces.find((one) => one.workspace_id === here);
    return {
      member,
      workspaces,
      workspace: found ?? { workspace_id: here, name: "Workspace", role: member.role },
      environment,
      isSandbox: environment === "sandbox",
      // Nothing of one environment may be shown in another, not even for a moment.
      switchEnvironment: (next: Environment) => {
        setScope({ environment: next });
        forget(client);
      },
      switchWorkspace: (next: string) => {
        setScope({ workspaceId: next });
        client.clear();
      },
    };
  }, [answer, environment, workspaceId, client]);
  return (
    <SessionContext value={session}>
      <RoleAccess role={session.member.role}>{children}</RoleAccess>
    </SessionContext>
  );
}

export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error("useSession needs SessionProvider above it");
  return session;
}

function forget(client: ReturnType<typeof useQueryClient>): void {
  void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== "auth.session" });
}
