import { useSession } from "../../../session/session.ts";

/** Names the account of a form's password for password managers. */
export function AccountName() {
  const { member } = useSession();
  return <input hidden readOnly name="username" autoComplete="username" value={member.email} />;
}
