import { useSession } from "../session/session.ts";
import { Segmented } from "../ui/ui.ts";

const ENVIRONMENTS = [
  { value: "live", label: "Live" },
  { value: "sandbox", label: "Sandbox" },
] as const;

/** Switches between live and sandbox. The screen always shows the data of one of them. */
export function EnvironmentSwitch() {
  const { environment, switchEnvironment } = useSession();
  return <Segmented label="Environment" options={ENVIRONMENTS} value={environment} onChange={switchEnvironment} />;
}

/** Marks the sandbox, so that no user mistakes its data for live data. */
export function SandboxStripe() {
  const { isSandbox } = useSession();
  if (!isSandbox) return null;
  return (
    <div
      role="note"
      className="pointer-events-none fixed inset-x-0 top-0 z-30 h-1.5 bg-[repeating-linear-gradient(-45deg,var(--stripe-a)_0_10px,var(--stripe-b)_10px_20px)]"
      aria-label="You are viewing the sandbox"
    />
  );
}
