import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { useSession } from "../session/session.ts";
import type { Session } from "../session/session.ts";

/** Live or sandbox. What is on the screen is of one of them, always. */
export function EnvironmentSwitch() {
  const { environment, switchEnvironment } = useSession();
  return (
    <ToggleButtonGroup
      aria-label="Environment"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[environment]}
      onSelectionChange={(keys) => {
        const [chosen] = keys;
        if (chosen !== undefined && chosen !== environment) switchEnvironment(chosen as Session["environment"]);
      }}
      className="flex rounded-md border border-line bg-sunken p-0.5 text-sm"
    >
      <ToggleButton id="live" className={TOGGLE}>
        Live
      </ToggleButton>
      <ToggleButton id="sandbox" className={TOGGLE}>
        Sandbox
      </ToggleButton>
    </ToggleButtonGroup>
  );
}

const TOGGLE =
  "h-6.5 rounded-sm px-2.5 text-muted data-[hovered]:text-ink data-[selected]:bg-surface data-[selected]:font-medium data-[selected]:text-ink data-[selected]:shadow-card";

/** Nobody should have to wonder whether this is real. */
export function SandboxStripe() {
  const { isSandbox } = useSession();
  if (!isSandbox) return null;
  return (
    <div
      role="note"
      className="pointer-events-none fixed inset-x-0 top-0 z-30 h-1.5 bg-[repeating-linear-gradient(-45deg,var(--stripe-a)_0_10px,var(--stripe-b)_10px_20px)]"
      aria-label="You are looking at the sandbox"
    />
  );
}
