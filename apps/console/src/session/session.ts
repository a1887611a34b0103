export { SessionProvider, useSession } from "./provider.tsx";
export type { Session } from "./provider.tsx";
export { sessionQuery, signInMethodsQuery } from "./account.ts";
export type { Invitation, ResetReview, SignInProof } from "./account.ts";
export {
  acceptInvitation,
  claimInstallation,
  confirmOidcLink,
  lookUpInvitation,
  requestPasswordReset,
  resetPassword,
  reviewReset,
  signIn,
  signOut,
  startInvited,
} from "./account.ts";
export { askPasskey, createPasskey } from "./passkeys.ts";
export { AccessProvider, useAccess, usePortal } from "./access.tsx";
export type { Access } from "./access.tsx";
