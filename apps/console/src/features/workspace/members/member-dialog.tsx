import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useSession } from "../../../session/session.ts";
import { fieldError, FormDialog, labelOf, Select, TagInput, toastSuccess } from "../../../ui/ui.ts";

/** Gives a member another role, or operator permissions. */
export function MemberDialog({ member, onClose }: { readonly member: wire.Member; readonly onClose: () => void }) {
  const [role, setRole] = useState(member.role);
  const [permissions, setPermissions] = useState<readonly string[]>(member.permissions);
  const givable = useGivableRoles();
  const update = useWrite("members.update", { refreshes: ["members."] });
  const save = (): void =>
    update.mutate(
      {
        path: { id: member.id },
        body: { role: role as NonNullable<wire.MemberChange["role"]>, permissions: [...permissions] },
      },
      toastSuccess(`${member.name} updated.`, onClose),
    );
  return (
    <FormDialog
      title={member.name}
      size="sm"
      onClose={onClose}
      submitLabel="Save member"
      write={update}
      onSubmit={save}
    >
      <Select
        label="Role"
        options={[...new Set([...givable, member.role])].map((one) => ({ value: one, label: labelOf(one) }))}
        value={role}
        onChange={setRole}
        {...fieldError(update.error, "/role")}
      />
      <TagInput
        label="Operator permissions"
        description="Permissions that actions can require in addition to the role, such as refunds."
        values={permissions}
        onChange={setPermissions}
        refuse={(text) =>
          /^[a-z][a-z0-9_.:-]{0,63}$/.test(text) ? undefined : "Use lowercase letters, digits, and _ . : -"
        }
        {...fieldError(update.error, "/permissions")}
      />
    </FormDialog>
  );
}

/** Returns the roles that the member may give, none of which is above their own. */
export function useGivableRoles(): readonly string[] {
  const { member } = useSession();
  const roles = useQuery({ ...read("roles.list"), staleTime: Infinity });
  return roles.data?.data.find((one) => one.role === member.role)?.may_give ?? [];
}
