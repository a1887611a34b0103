export { SessionProvider, useSession } from "./provider.tsx";
export type { Session } from "./provider.tsx";
export { sessionQuery, signInMethodsQuery } from "./account.ts";
export type { Invitation, SignInProof } from "./account.ts";
export {
  acceptInvitation,
  claimInstallation,
  lookUpInvitation,
  requestPasswordReset,
  resetPassword,
  signIn,
  signOut,
  startInvited,
} from "./account.ts";
export { useAccess } from "./access.ts";
export type { Access } from "./access.ts";
