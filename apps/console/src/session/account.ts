import { queryOptions } from "@tanstack/react-query";
import { call, isProblem, send, setCsrfToken, setScope } from "../api/api.ts";
import type { wire } from "../api/api.ts";

// These routes have no dotted name: they are called before signing in, so no key could be restricted from them.

export interface SignInProof {
  readonly email: string;
  readonly password: string;
  readonly totp_code?: string;
  readonly assertion?: wire.PasskeyAssertion;
}

export interface Invitation {
  readonly workspace_name: string;
  readonly email: string;
  readonly role: string;
  readonly expires_at: string;
}

/** Reads the session. Fails with 401 without one. */
export const sessionQuery = queryOptions({
  queryKey: ["auth.session", {}],
  queryFn: async ({ signal }) => await kept(await current(signal)),
  staleTime: 60_000,
  retry: false,
});

export async function signIn(proof: SignInProof): Promise<wire.SignedIn> {
  return await kept((await send({ method: "POST", path: "/v1/auth/sign-in", body: proof })) as wire.SignedIn);
}

interface SignInMethods {
  /** Null if the installation has no issuer. */
  readonly oidc: { readonly issuer: string; readonly start_url: string } | null;
}

/** Returns the ways to sign in, besides e-mail and password. */
export const signInMethodsQuery = queryOptions({
  queryKey: ["auth.methods"],
  queryFn: async () => (await send({ method: "GET", path: "/v1/auth/methods" })) as SignInMethods,
  staleTime: 60_000,
  retry: false,
});

/** Returns the issuer's page on which an invited person signs in to join. */
export async function startInvited(invitation: string): Promise<string> {
  const started = await send({ method: "POST", path: "/v1/auth/oidc/start", body: { invitation } });
  return (started as { readonly location: string }).location;
}

/** Links the account of a sign-in that waits for it. Returns where to go. */
export async function confirmOidcLink(): Promise<string> {
  const linked = await send({ method: "POST", path: "/v1/auth/oidc/link", body: {} });
  return (linked as { readonly location: string }).location;
}

export async function signOut(): Promise<void> {
  await call("auth.sign_out", {});
  setCsrfToken(null);
}

export async function lookUpInvitation(token: string): Promise<Invitation> {
  return (await send({ method: "POST", path: "/v1/members/invitations/look-up", body: { token } })) as Invitation;
}

export async function acceptInvitation(body: {
  readonly token: string;
  readonly name: string;
  readonly password: string;
  readonly totp_code?: string;
  readonly assertion?: wire.PasskeyAssertion;
}): Promise<wire.SignedIn> {
  return await kept((await send({ method: "POST", path: "/v1/members/accept", body })) as wire.SignedIn);
}

/** Returns false if the service sends no e-mail. */
export async function requestPasswordReset(email: string): Promise<boolean> {
  const answer = await send({ method: "POST", path: "/v1/password-resets", body: { email } });
  return (answer as { readonly emailed: boolean }).emailed;
}

export async function resetPassword(body: {
  readonly token: string;
  readonly password: string;
  readonly keep_keys: boolean;
}): Promise<void> {
  await send({ method: "POST", path: "/v1/auth/reset", body });
}

/** Lists the keys and apps that a new password ends. */
export interface ResetReview {
  readonly email: string;
  readonly clears_second_factors: boolean;
  readonly minted: readonly { readonly kind: "app" | "key"; readonly name: string; readonly workspace_name: string }[];
}

export async function reviewReset(token: string): Promise<ResetReview> {
  return (await send({ method: "POST", path: "/v1/auth/reset/review", body: { token } })) as ResetReview;
}

/** Claims the installation and signs its owner in. Only this response contains the live key. */
export async function claimInstallation(body: {
  readonly token: string;
  readonly email: string;
  readonly name: string;
  readonly password: string;
}): Promise<{ readonly workspace_id: string; readonly api_key: string }> {
  const claimed = await send({ method: "POST", path: "/v1/auth/setup", body });
  await signIn({ email: body.email, password: body.password });
  return claimed as { workspace_id: string; api_key: string };
}

async function kept(answer: wire.SignedIn): Promise<wire.SignedIn> {
  setCsrfToken(answer.csrf_token);
  setScope({ workspaceId: answer.member.scope_key });
  return await Promise.resolve(answer);
}

async function current(signal: AbortSignal): Promise<wire.SignedIn> {
  try {
    return await call("auth.session", {}, { signal });
  } catch (error) {
    // The person may have left the workspace that they viewed last.
    if (!isProblem(error, "workspace_mismatch", "bad_request")) throw error;
    setScope({ workspaceId: null });
    return await call("auth.session", {}, { signal });
  }
}
