import { EmptyState, PageHeader } from "../../ui/ui.ts";

export function Screen() {
  return (
    <>
      <PageHeader title="Audit row" />
      <EmptyState title="This screen is being built." />
    </>
  );
}
