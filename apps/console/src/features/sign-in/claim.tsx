import { useMutation, useQueryClient } from "@tanstack/react-query";
import { isProblem } from "../../api/api.ts";
import { paths } from "../../paths.ts";
import { claimInstallation } from "../../session/session.ts";
import { enterDemo, PlainPage } from "../../shell/shell.ts";
import { Button, Form, Link, SecretOnce, TextField, useUrlState, useWireForm } from "../../ui/ui.ts";

type Person = Record<"name" | "email" | "password", string>;

/** The page of the one-time link of the first start, which makes its user the owner. */
export function Screen() {
  const [token] = useUrlState("token", "");
  const client = useQueryClient();
  const claim = useMutation({
    mutationFn: async (person: Person) => {
      const { api_key: apiKey } = await claimInstallation({ token, ...person });
      return { apiKey, hasDemo: await enterDemo() };
    },
    onSuccess: () => client.clear(),
  });
  const form = useWireForm<Person>({ name: "", email: "", password: "" }, claim.error);
  if (claim.isSuccess) return <ClaimedPage {...claim.data} />;
  return (
    <PlainPage title="Claim this installation" description="You become the owner of its first workspace.">
      {token === "" ? <MissingToken /> : null}
      <Form
        onSubmit={() => claim.mutate(form.value)}
        error={isProblem(claim.error, "setup_link_invalid") ? null : claim.error}
      >
        <TextField label="Your name" name="name" autoComplete="name" isRequired autoFocus {...form.text("/name")} />
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          isRequired
          {...form.text("/email")}
        />
        <TextField
          label="Password"
          type="password"
          name="password"
          autoComplete="new-password"
          isRequired
          minLength={12}
          description="At least 12 characters."
          {...form.text("/password")}
        />
        {isProblem(claim.error, "setup_link_invalid") ? <UsedLink /> : null}
        <Button type="submit" variant="primary" isPending={claim.isPending}>
          Claim and sign in
        </Button>
      </Form>
    </PlainPage>
  );
}

function ClaimedPage({ apiKey, hasDemo }: { readonly apiKey: string; readonly hasDemo: boolean }) {
  return (
    <PlainPage
      title="Installation claimed"
      description="This is your live API key. Programs use it to call the API. You can create more keys later."
    >
      <SecretOnce label="API key" secret={apiKey} />
      {hasDemo ? (
        <p className="text-sm">The console opens in the sandbox, which has demo data. Switch to Live at the top.</p>
      ) : null}
      <Link to={hasDemo ? paths.home : paths.setupGuide} look="primary">
        {hasDemo ? "Explore the demo data" : "Continue"}
      </Link>
    </PlainPage>
  );
}

function MissingToken() {
  return (
    <p className="text-sm text-warn">
      This URL does not contain the link's token. Open the complete link that the service printed at its first start.
    </p>
  );
}

function UsedLink() {
  return (
    <div role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
      This link was already used, or is older than 30 minutes. If the installation has not been claimed, restart the
      service to get a new link. If you claimed it, <Link to={paths.signIn}>sign in</Link>.
    </div>
  );
}
