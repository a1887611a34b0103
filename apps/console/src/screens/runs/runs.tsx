import { EmptyState, PageHeader } from "../../ui/ui.ts";

export function Screen() {
  return (
    <>
      <PageHeader title="Runs" />
      <EmptyState title="This screen is being built." />
    </>
  );
}
