import { useMutation, useQuery } from "@tanstack/react-query";
import { confirmOidcLink, signInMethodsQuery, startInvited } from "../../session/session.ts";
import { Button, ErrorNote, ServiceLink, useUrlState } from "../../ui/ui.ts";

/** Leads to the issuer of the installation, if it has one, and afterwards to the page `next`. */
export function OidcLink({ next }: { readonly next: string }) {
  const { data } = useQuery(signInMethodsQuery);
  const oidc = data?.oidc ?? null;
  if (oidc === null) return null;
  const query = next === "/" ? "" : `?${new URLSearchParams({ next }).toString()}`;
  return <ServiceLink href={oidc.start_url + query}>Sign in with {oidc.issuer}</ServiceLink>;
}

/** Accepts an invitation with the account at the issuer, if the installation has one. */
export function OidcJoin({ invitation }: { readonly invitation: string }) {
  const { data } = useQuery(signInMethodsQuery);
  const join = useMutation({
    mutationFn: async () => window.location.assign(await startInvited(invitation)),
  });
  const oidc = data?.oidc ?? null;
  if (oidc === null) return null;
  return (
    <>
      {join.isError ? <ErrorNote error={join.error} /> : null}
      <Button onPress={() => join.mutate()} isPending={join.isPending}>
        Join with {oidc.issuer}
      </Button>
    </>
  );
}

const TRY_AGAIN = "The sign-in took too long, or began in another browser. Try again.";
const REASONS: Readonly<Record<string, string>> = {
  issuer_unreachable: "The sign-in service of your organization does not respond. Try again later, or use a password.",
  denied: "The sign-in was canceled, or the sign-in service refused it.",
  expired: TRY_AGAIN,
  not_verified:
    "The response of the sign-in service could not be verified. Try again, and tell the operator if it fails.",
  email_unverified: "The sign-in service does not confirm your e-mail address. Ask its administrator to verify it.",
  no_account: "You have no access to this installation. Ask for an invitation, or for a group that has access.",
  other_account:
    "The account of your e-mail address belongs to another account of the sign-in service. Ask the operator to unlink it.",
  groups_missing: "The sign-in service sent no groups. Tell the operator.",
  invitation_invalid: "The invitation has ended, or is for another e-mail address. Ask for a new one.",
  too_many: "There were too many sign-ins from your network. Wait a minute and try again.",
};

/** Asks before an account is linked to the issuer for the first time, which can end its password. */
function ConfirmLink() {
  const link = useMutation({ mutationFn: async () => window.location.assign(await confirmOidcLink()) });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-muted">
        Your e-mail address has an account here that is not linked to the sign-in service of your organization yet. If
        this browser is not signed in with that account, the link ends its password, its second factors and its
        sessions.
      </p>
      {link.isError ? <ErrorNote error={link.error} /> : null}
      <Button onPress={() => link.mutate()} isPending={link.isPending}>
        Link my account
      </Button>
    </div>
  );
}

/** Says why the last sign-in at the issuer failed. */
export function OidcFailure() {
  const [failed] = useUrlState("failed", "");
  if (failed === "") return null;
  if (failed === "confirm_link") return <ConfirmLink />;
  return (
    <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
      {(Object.hasOwn(REASONS, failed) ? REASONS[failed] : undefined) ?? TRY_AGAIN}
    </p>
  );
}
