import { t } from "../../lib/lib.ts";
import { withCookie } from "./auth.routes.ts";
import { callerOf, originOf, route } from "../callers/caller.routes.ts";
import type { App } from "../callers/caller.routes.ts";
import { anyMember, inPerson, keepers, live, owners } from "../callers/callers.ts";
import type { Invitations } from "./invitations.ts";
import type { Members } from "./members.ts";
import * as shapes from "./people.schemas.ts";

const NoContent = t.Null();
const Page = t.Object(t.PageQuery, t.strict);

export function memberRoutes(
  app: App,
  { members, invitations }: { readonly members: Members; readonly invitations: Invitations },
): void {
  presentRoutes(app, members);
  invitationRoutes(app, invitations);
  acceptanceRoutes(app, invitations);
}

function presentRoutes(app: App, members: Members): void {
  route(app, "GET /v1/members", {
    config: { operation: "members.list", callers: anyMember, allWorkspaces: true },
    operationId: "listMembers",
    summary: "List members",
    description: "Returns the people of the workspace, newest first.",
    querystring: Page,
    response: { 200: shapes.MemberList },
    handler: async (request) => await members.list(callerOf(request).scope, request.query),
  });

  route(app, "PATCH /v1/members/:id", {
    config: {
      operation: "members.update",
      callers: inPerson(keepers),
      audit: "member",
      allWorkspaces: true,
      errors: ["conflict", "last_owner"],
    },
    operationId: "updateMember",
    summary: "Change a member",
    description: "Changes the role or the operator permissions. The member's next request follows the change.",
    params: shapes.MemberParams,
    body: shapes.MemberBody,
    response: { 200: shapes.MemberShape },
    handler: async (request) => await members.change(callerOf(request).key, request.params.id, request.body),
  });

  route(app, "DELETE /v1/members/:id", {
    config: {
      operation: "members.remove",
      callers: inPerson(keepers),
      audit: "member",
      allWorkspaces: true,
      errors: ["conflict", "last_owner"],
    },
    operationId: "removeMember",
    summary: "Remove a member",
    description: "Ends the member's sessions in this workspace and revokes their keys.",
    params: shapes.MemberParams,
    response: { 204: NoContent },
    handler: async (request) => {
      await members.remove(callerOf(request).key, request.params.id);
    },
  });

  resetLinkRoute(app, members);
}

function resetLinkRoute(app: App, members: Members): void {
  route(app, "POST /v1/members/:id/reset-link", {
    config: {
      operation: "members.reset_link",
      callers: inPerson(owners),
      audit: "member",
      allWorkspaces: true,
      errors: ["conflict"],
    },
    operationId: "createResetLink",
    summary: "Create a password reset link",
    description: "For a member who can no longer sign in. The link works once, for 24 hours.",
    params: shapes.MemberParams,
    body: shapes.ResetLinkBody,
    response: { 201: shapes.ResetLinkShape },
    handler: async (request) => {
      const clearTotp = request.body?.clear_totp ?? false;
      return await members.resetLink(callerOf(request).key, request.params.id, clearTotp);
    },
  });
}

function invitationRoutes(app: App, invitations: Invitations): void {
  route(app, "POST /v1/members/invitations", {
    config: {
      operation: "members.invitations.create",
      callers: inPerson(keepers),
      audit: "member",
      allWorkspaces: true,
      errors: ["conflict"],
    },
    operationId: "inviteMember",
    summary: "Invite a person",
    description:
      "The response contains the invitation link, which is shown only once. If the operator has set a mail server, the person also gets it by e-mail (`emailed`).",
    body: shapes.InvitationBody,
    response: { 201: shapes.NewInvitationShape },
    handler: async (request) => await invitations.create(callerOf(request).key, request.body),
  });

  route(app, "GET /v1/members/invitations", {
    config: { operation: "members.invitations.list", callers: keepers, allWorkspaces: true },
    operationId: "listInvitations",
    summary: "List invitations",
    description: "Returns the open invitations, newest first.",
    querystring: Page,
    response: { 200: shapes.InvitationList },
    handler: async (request) => await invitations.list(callerOf(request).scope, request.query),
  });

  route(app, "DELETE /v1/members/invitations/:id", {
    config: {
      operation: "members.invitations.revoke",
      callers: live(keepers),
      audit: "member",
      allWorkspaces: true,
    },
    operationId: "revokeInvitation",
    summary: "Withdraw an invitation",
    description: "The link stops working at once.",
    params: shapes.InvitationParams,
    response: { 204: NoContent },
    handler: async (request) => {
      await invitations.revoke(callerOf(request).key, request.params.id);
    },
  });
}

/** Mounts the public routes for the holder of an invitation link. */
function acceptanceRoutes(app: App, invitations: Invitations): void {
  route(app, "POST /v1/members/invitations/look-up", {
    config: { callers: "public", errors: ["invitation_invalid"] },
    operationId: "lookUpInvitation",
    summary: "Show an invitation",
    description: "For the person who has the link. The link can still be used afterwards.",
    body: shapes.TokenBody,
    response: { 200: shapes.OfferShape },
    handler: async (request) => await invitations.lookUp(request.body.token),
  });

  route(app, "POST /v1/members/accept", {
    config: {
      callers: "public",
      errors: ["invitation_invalid", "sign_in_failed", "totp_required", "too_many_auth_failures", "conflict"],
    },
    operationId: "acceptInvitation",
    summary: "Join the workspace",
    description: "Accepts the invitation and opens a session. A person who already has an account sends its password.",
    body: shapes.AcceptBody,
    response: { 201: shapes.SignedInShape },
    handler: async (request, reply) => {
      const answer = await invitations.accept(request.body, originOf(request));
      return withCookie(reply, answer);
    },
  });
}
