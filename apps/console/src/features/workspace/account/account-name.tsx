import { useSession } from "../../../session/session.ts";

/** Whose password a form is about: a password manager looks for it. */
export function AccountName() {
  const { member } = useSession();
  return <input hidden readOnly name="username" autoComplete="username" value={member.email} />;
}
