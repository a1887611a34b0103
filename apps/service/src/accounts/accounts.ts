export { holdCredential } from "./api-keys/hold-credential.ts";
export { isListed } from "./api-keys/allowlist.ts";
export { UNLIMITED } from "./callers/api-key.ts";
export type { ActorType, ApiKey, Role, SessionInfo } from "./callers/api-key.ts";
export { createKeyExpiry } from "./api-keys/key-expiry.worker.ts";
export type { KeyExpiry } from "./api-keys/key-expiry.worker.ts";
export type { RequestOutcome, UsageRow } from "./api-keys/key-usage.store.ts";
export { createKeyUsage } from "./api-keys/key-usage.worker.ts";
export type { KeyUsage } from "./api-keys/key-usage.worker.ts";
export type { KeyView } from "./api-keys/key-view.ts";
export { KeyShape } from "./api-keys/keys.schemas.ts";
export { createPortalKeys } from "./api-keys/portal-keys.ts";
export type { PortalKey, PortalKeys, PortalMaker } from "./api-keys/portal-keys.ts";
export { hasPermission, isLimited } from "./api-keys/privilege-comparison.ts";
export type { AuditNote, NotedActor } from "./people/audit-port.ts";
export { callerOf, originOf, OWN, route, sessionCaller } from "./callers/caller.routes.ts";
export { holderOf } from "./callers/holder.ts";
export type { Admitted, App, AuditSubject, Caller } from "./callers/caller.routes.ts";
export {
  anyMember,
  byPeople,
  inSession,
  callers,
  keepers,
  live,
  operators,
  owners,
  readers,
  unscoped,
  writers,
} from "./callers/callers.ts";
export type { Callers } from "./callers/callers.ts";
export { sealedByWorkspaces } from "./encrypted-columns.ts";
export { callerFacts } from "./identity/authors.store.ts";
export { authorOf, readStanding, requesterOf } from "./identity/authors.ts";
export type { Author, Standing } from "./identity/authors.ts";
export { isMember, mailRecipient, memberIdsOf, reachableMembers } from "./identity/mail-recipients.store.ts";
export { objectMail, queueObjectMail, sendsMail } from "./mails/object-mail.ts";
export type { MailPlace, ObjectMailDeps, ObjectWords } from "./mails/object-mail.ts";
export { memberWireId } from "./people/member-view.ts";
export { networkOf, siteOf } from "./callers/network.ts";
export { createPeople } from "./people.ts";
export type { People } from "./people.ts";
export { takeTry } from "./people/people.store.ts";
export { assignableRoles, ADMIN_ROLES, MEMBER_ROLES } from "./callers/roles.ts";
export { tooMany } from "./proofs/sign-in.ts";
export { deleteTenantContact, saveTenantContact } from "./identity/tenant-contacts.store.ts";
export { AssertionShape, OwnProofBody, RequestOptionsShape } from "./proofs/passkeys.schemas.ts";
export { changeSubject, GUARDED_OPERATIONS } from "./proofs/guarded-change.ts";
export type { GuardedChange } from "./proofs/guarded-change.ts";
export { STEP_UP_METHODS } from "./proofs/step-ups.ts";
export type { StepUpMethod, StepUps } from "./proofs/step-ups.ts";
export { createOidc } from "./oidc/oidc.ts";
export type { OidcSettings } from "./oidc/issuer.ts";
export type { MemberRole } from "./callers/roles.ts";
export { createSessions } from "./sessions/sessions.ts";
export type { SessionHeaders, Sessions } from "./sessions/sessions.ts";
export {
  ownUuid,
  assertOwnId,
  scopeFields,
  scopeIn,
  scopeOf,
  scopeOfWorkspace,
  workspaceWireId,
} from "./callers/scope.ts";
export type { Scope, ScopeFields } from "./callers/scope.ts";
export { SettingsBody } from "./workspaces/workspaces.schemas.ts";
export { settingsOf } from "./workspaces/workspace-defaults.ts";
export type { WorkspaceSettings } from "./workspaces/workspace-defaults.ts";
export { scopesOfAll } from "./workspaces/workspaces.store.ts";
export { createWorkspaces } from "./workspaces/workspaces.ts";
export type { Workspaces } from "./workspaces/workspaces.ts";
