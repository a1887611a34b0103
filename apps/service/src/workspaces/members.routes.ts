import { closed, PageQuery, Type } from "../kernel/kernel.ts";
import { originOf, withCookie } from "./auth.routes.ts";
import { callerOf } from "./caller.routes.ts";
import type { App } from "./caller.routes.ts";
import type { People } from "./people.ts";
import * as shapes from "./people.schemas.ts";
import { KEEPERS, MEMBER_ROLES } from "./roles.ts";

const NoContent = Type.Null();
const Page = Type.Object(PageQuery, closed);

export function memberRoutes(app: App, people: People): void {
  presentRoutes(app, people);
  invitationRoutes(app, people);
  acceptanceRoutes(app, people);
}

function presentRoutes(app: App, { members }: People): void {
  app.get(
    "/v1/members",
    {
      config: { operation: "members.list", allWorkspaces: true, roles: MEMBER_ROLES },
      schema: { operationId: "listMembers", querystring: Page, response: { 200: shapes.MemberList } },
    },
    async (request) => await members.list(callerOf(request).scope, request.query),
  );

  app.patch(
    "/v1/members/:id",
    {
      config: { operation: "members.update", allWorkspaces: true, roles: KEEPERS },
      schema: {
        operationId: "updateMember",
        params: shapes.IdParams,
        body: shapes.MemberBody,
        response: { 200: shapes.MemberShape },
      },
    },
    async (request) => await members.change(callerOf(request).key, request.params.id, request.body),
  );

  app.delete(
    "/v1/members/:id",
    {
      config: { operation: "members.remove", allWorkspaces: true, roles: KEEPERS },
      schema: {
        operationId: "removeMember",
        summary: "Remove a member: their sessions here end, their keys are revoked",
        params: shapes.IdParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await members.remove(callerOf(request).key, request.params.id);
      return await reply.code(204).send(null);
    },
  );

  app.post(
    "/v1/members/:id/reset-link",
    {
      config: { operation: "members.reset_link", allWorkspaces: true, roles: ["owner"] },
      schema: {
        operationId: "createResetLink",
        summary: "A link by which a member chooses a new password",
        params: shapes.IdParams,
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
      config: { operation: "members.invitations.create", allWorkspaces: true, roles: KEEPERS },
      schema: {
        operationId: "inviteMember",
        body: shapes.InvitationBody,
        response: { 201: shapes.NewInvitationShape },
      },
    },
    async (request, reply) => await reply.code(201).send(await invitations.create(callerOf(request).key, request.body)),
  );

  app.get(
    "/v1/members/invitations",
    {
      config: { operation: "members.invitations.list", allWorkspaces: true, roles: KEEPERS },
      schema: { operationId: "listInvitations", querystring: Page, response: { 200: shapes.InvitationList } },
    },
    async (request) => await invitations.list(callerOf(request).scope, request.query),
  );

  app.delete(
    "/v1/members/invitations/:id",
    {
      config: { operation: "members.invitations.revoke", allWorkspaces: true, roles: KEEPERS },
      schema: { operationId: "revokeInvitation", params: shapes.IdParams, response: { 204: NoContent } },
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
      config: { refusals: [401] },
      schema: {
        operationId: "lookUpInvitation",
        summary: "What an invitation's link offers",
        body: shapes.TokenBody,
        response: { 200: shapes.OfferShape },
      },
    },
    async (request) => await invitations.lookUp(request.body.token),
  );

  app.post(
    "/v1/members/accept",
    {
      config: { refusals: [401, 409, 429] },
      schema: {
        operationId: "acceptInvitation",
        summary: "Join the workspace and open a session",
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
