import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { paths } from "./paths.ts";
import { PasswordFields } from "./features/sign-in/password-fields.tsx";
import { EmptyShell } from "./shell/empty-shell.tsx";
import { pages, PlainPage } from "./shell/shell.ts";
import { Button } from "./ui/ui.ts";

/**
 * Renders the content of the page itself, so that something can be read before any script runs. The console's build calls it, see
 * tools/console/build.ts. The scripts replace the content; until then no part of it can be used.
 */
export function firstPaints(): FirstPaints {
  const described = pages.filter(({ about }) => about !== undefined);
  const shells = Object.fromEntries(described.map(({ to }) => [to, shellAt(to)]));
  return { paths: { ...shells, [paths.signIn]: signIn() }, shell: shellAt("") };
}

/** First paints of single paths, and the one of all other paths that a signed-in user opens. */
interface FirstPaints {
  readonly paths: Readonly<Record<string, string>>;
  readonly shell: string;
}

function signIn(): string {
  return markup(
    <PlainPage title="Sign in">
      <div className="flex flex-col gap-4">
        <PasswordFields email="" password="" onChange={() => {}} />
        <Button variant="primary">Sign in</Button>
      </div>
    </PlainPage>,
  );
}

function shellAt(path: string): string {
  return markup(<EmptyShell path={path} />);
}

function markup(children: ReactNode): string {
  return renderToStaticMarkup(<div inert>{children}</div>);
}
