import { renderToStaticMarkup } from "react-dom/server";
import { PasswordFields } from "./screens/sign-in/password-fields.tsx";
import { EmptyShell } from "./shell/empty-shell.tsx";
import { PlainPage } from "./shell/shell.ts";
import { Button } from "./ui/ui.ts";

/**
 * What the page itself holds, so that something can be read before any script runs: made when the console is built, see
 * tools/console/build.ts. The scripts draw over it; until then nothing of it can be used.
 */
export function firstPaints(): { readonly signIn: string; readonly shell: string } {
  return {
    signIn: renderToStaticMarkup(
      <div inert>
        <PlainPage title="Sign in">
          <div className="flex flex-col gap-4">
            <PasswordFields email="" password="" onChange={() => {}} />
            <Button variant="primary">Sign in</Button>
          </div>
        </PlainPage>
      </div>,
    ),
    shell: renderToStaticMarkup(
      <div inert>
        <EmptyShell />
      </div>,
    ),
  };
}
