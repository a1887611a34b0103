import { useQuery } from "@tanstack/react-query";
import { Check, Minus } from "lucide-react";
import { read } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { Card, EmptyState, labelOf, Loaded, Table, TextField, useUrlState } from "../../../ui/ui.ts";

/** Shows which role may call which operation, as the access checks decide it. */
export function RoleMatrix() {
  const roles = useQuery({ ...read("roles.list"), staleTime: Infinity });
  const [text, setText] = useUrlState("operation", "");
  return (
    <div className="flex flex-col gap-3">
      <div className="max-w-xs">
        <TextField label="Operation" placeholder="keys." value={text} onChange={setText} mono />
      </div>
      <Card flush>
        <Loaded query={roles} label="Loading the roles">
          {(list) => <Matrix roles={list.data} text={text} />}
        </Loaded>
      </Card>
    </div>
  );
}

function Matrix({ roles, text }: { readonly roles: readonly wire.Role[]; readonly text: string }) {
  const names = [...new Set(roles.flatMap((role) => role.operations.map((one) => one.name)))].toSorted();
  const shown = names.filter((name) => name.includes(text.trim().toLowerCase()));
  if (shown.length === 0) return <EmptyState title="No matching operations" />;
  const granted = new Map(roles.map((role) => [role.role, new Set(role.operations.map((one) => one.name))]));
  const allowed = (name: string): string =>
    roles.flatMap(({ role }) => (granted.get(role)?.has(name) === true ? [labelOf(role)] : [])).join(", ");
  return (
    <Table
      label="Permissions of each role"
      rows={shown}
      keyOf={(name) => name}
      columns={[
        {
          header: "Operation",
          cell: (name) => (
            <>
              <code className="text-xs break-all">{name}</code>
              {/* A column for each role is too wide for a phone. */}
              <p className="text-xs text-muted md:hidden">{allowed(name)}</p>
            </>
          ),
        },
        ...roles.map(({ role }) => ({
          header: labelOf(role),
          from: "md" as const,
          cell: (name: string) => <Mark isGranted={granted.get(role)?.has(name) ?? false} />,
        })),
      ]}
    />
  );
}

function Mark({ isGranted }: { readonly isGranted: boolean }) {
  return (
    <span className={isGranted ? "text-good" : "text-faint"}>
      {isGranted ? <Check aria-hidden size={15} /> : <Minus aria-hidden size={15} />}
      <span className="sr-only">{isGranted ? "allowed" : "not allowed"}</span>
    </span>
  );
}
