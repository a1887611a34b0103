import { closed, PageQuery, Type } from "../../lib/lib.ts";
import { originOf, withCookie } from "./auth.routes.ts";
import { callerOf } from "../caller.routes.ts";
import type { App } from "../caller.routes.ts";
import { anyMember, inPerson, keepers, live, owners } from "../callers.ts";
import type { People } from "./people.ts";
import * as shapes from "./people.schemas.ts";

const NoContent = Type.Null();
const Page = Type.Object(PageQuery, closed);

export function memberRoutes(app: App, people: People): void {
  presentRoutes(app, people);
  invitationRoutes(app, people);
  acceptanceRoutes(app, people);
}

function presentRoutes(app: App, people: People): void {
  const { members } = people;
  app.get(
    "/v1/members",
    {
      config: { operation: "members.list", callers: anyMember, allWorkspaces: true },
      schema: {
        operationId: "listMembers",
        summary: "List members",
        description: "The people of the workspace, newest first.",
        querystring: Page,
        response: { 200: shapes.MemberList },
      },
    },
    async (request) => await members.list(callerOf(request).scope, request.query),
  );

  app.patch(
    "/v1/members/:id",
    {
      config: {
        operation: "members.update",
        callers: inPerson(keepers),
        audit: "member",
        allWorkspaces: true,
        errors: ["conflict", "last_owner"],
      },
      schema: {
        operationId: "updateMember",
        summary: "Change a member",
        description: "Their role, or their operator permissions. Obeyed by their next request.",
        params: shapes.MemberParams,
        body: shapes.MemberBody,
        response: { 200: shapes.MemberShape },
      },
    },
    async (request) => await members.change(callerOf(request).key, request.params.id, request.body),
  );

  app.delete(
    "/v1/members/:id",
    {
      config: {
        operation: "members.remove",
        callers: inPerson(keepers),
        audit: "member",
        allWorkspaces: true,
        errors: ["conflict", "last_owner"],
      },
      schema: {
        operationId: "removeMember",
        summary: "Remove a member",
        description: "Their sessions here end and their keys are revoked.",
        params: shapes.MemberParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await members.remove(callerOf(request).key, request.params.id);
      return await reply.code(204).send(null);
    },
  );

  resetLinkRoute(app, people);
}

function resetLinkRoute(app: App, { members }: People): void {
  app.post(
    "/v1/members/:id/reset-link",
    {
      config: {
        operation: "members.reset_link",
        callers: inPerson(owners),
        audit: "member",
        allWorkspaces: true,
        errors: ["conflict"],
      },
      schema: {
        operationId: "createResetLink",
        summary: "Make a link for a new password",
        description: "For a member who cannot sign in any more. Works once, for a day.",
        params: shapes.MemberParams,
        body: shapes.ResetLinkBody,
        response: { 201: shapes.ResetLinkShape },
      },
    },
    async (request, reply) => {
      const clearTotp = request.body?.clear_totp ?? false;
      return await reply.code(201).send(await members.resetLink(callerOf(request).key, request.params.id, clearTotp));
    },
  );
}

function invitationRoutes(app: App, { invitations }: People): void {
  app.post(
    "/v1/members/invitations",
    {
      config: {
        operation: "members.invitations.create",
        callers: inPerson(keepers),
        audit: "member",
        allWorkspaces: true,
        errors: ["conflict"],
      },
      schema: {
        operationId: "inviteMember",
        summary: "Invite a person",
        description: "The answer has the link to pass on; it is shown this once. The service sends no e-mail.",
        body: shapes.InvitationBody,
        response: { 201: shapes.NewInvitationShape },
      },
    },
    async (request, reply) => await reply.code(201).send(await invitations.create(callerOf(request).key, request.body)),
  );

  app.get(
    "/v1/members/invitations",
    {
      config: { operation: "members.invitations.list", callers: keepers, allWorkspaces: true },
      schema: {
        operationId: "listInvitations",
        summary: "List invitations",
        description: "Those that are still open, newest first.",
        querystring: Page,
        response: { 200: shapes.InvitationList },
      },
    },
    async (request) => await invitations.list(callerOf(request).scope, request.query),
  );

  app.delete(
    "/v1/members/invitations/:id",
    {
      config: {
        operation: "members.invitations.revoke",
        callers: live(keepers),
        audit: "member",
        allWorkspaces: true,
      },
      schema: {
        operationId: "revokeInvitation",
        summary: "Take back an invitation",
        description: "Its link stops working at once.",
        params: shapes.InvitationParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await invitations.revoke(callerOf(request).key, request.params.id);
      return await reply.code(204).send(null);
    },
  );
}

/** Open to whoever holds the link. */
function acceptanceRoutes(app: App, { invitations }: People): void {
  app.post(
    "/v1/members/invitations/look-up",
    {
      config: { callers: "public", errors: ["invitation_invalid"] },
      schema: {
        operationId: "lookUpInvitation",
        summary: "Show what an invitation offers",
        description: "For whoever holds the link; it stays usable.",
        body: shapes.TokenBody,
        response: { 200: shapes.OfferShape },
      },
    },
    async (request) => await invitations.lookUp(request.body.token),
  );

  app.post(
    "/v1/members/accept",
    {
      config: {
        callers: "public",
        errors: ["invitation_invalid", "sign_in_failed", "totp_required", "too_many_auth_failures", "conflict"],
      },
      schema: {
        operationId: "acceptInvitation",
        summary: "Join the workspace",
        description: "Takes the invitation and opens a session. A person who has an account gives its password.",
        body: shapes.AcceptBody,
        response: { 201: shapes.SignedInShape },
      },
    },
    async (request, reply) => {
      const answer = await invitations.accept(request.body, originOf(request));
      return await reply.code(201).send(withCookie(reply, answer));
    },
  );
}
