import { useQuery } from "@tanstack/react-query";
import { read, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useSession } from "../../../session/session.ts";
import { FormDialog, labelOf, Select, TagInput, toastSuccess, useWireForm } from "../../../ui/ui.ts";

/** Gives a member another role, or operator permissions. */
export function MemberDialog({ member, onClose }: { readonly member: wire.Member; readonly onClose: () => void }) {
  const { role, permissions } = member;
  const givable = useGivableRoles();
  const update = useWrite("members.update", { refreshes: ["members."] });
  const form = useWireForm({ role, permissions }, update.error);
  const save = (): void =>
    update.mutate(
      {
        path: { id: member.id },
        body: form.value as wire.MemberChange,
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
        {...form.text("/role")}
      />
      <TagInput
        label="Operator permissions"
        description="Permissions that actions can require in addition to the role, such as refunds."
        {...form.tags("/permissions")}
        refuse={(text) =>
          /^[a-z][a-z0-9_.:-]{0,63}$/.test(text) ? undefined : "Use lowercase letters, digits, and _ . : -"
        }
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
