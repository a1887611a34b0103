import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { read, useWrite } from "../../../api/api.ts";
import type { wire } from "../../../api/api.ts";
import { useSession } from "../../../session/session.ts";
import { Button, Dialog, fieldError, Form, Select, TagInput, toast } from "../../../ui/ui.ts";

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
      {
        onSuccess: () => {
          toast(`${member.name} was changed.`);
          onClose();
        },
      },
    );
  return (
    <Dialog
      title={member.name}
      size="sm"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" form="member" variant="primary" isPending={update.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Form id="member" onSubmit={save} error={update.error}>
        <Select
          label="Role"
          options={[...new Set([...givable, member.role])].map((one) => ({ value: one, label: one }))}
          value={role}
          onChange={setRole}
          {...fieldError(update.error, "/role")}
        />
        <TagInput
          label="Operator permissions"
          description="What actions may ask for beyond the role, such as refunds."
          values={permissions}
          onChange={setPermissions}
          refuse={(text) =>
            /^[a-z][a-z0-9_.:-]{0,63}$/.test(text) ? undefined : "Lower-case letters, digits, and _ . : -"
          }
          {...fieldError(update.error, "/permissions")}
        />
      </Form>
    </Dialog>
  );
}

/** Nobody gives a role above their own. */
export function useGivableRoles(): readonly string[] {
  const { member } = useSession();
  const roles = useQuery({ ...read("roles.list"), staleTime: Infinity });
  return roles.data?.data.find((one) => one.role === member.role)?.may_give ?? [];
}
