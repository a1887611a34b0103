import { EmptyState, PageHeader } from "../../ui/ui.ts";

export function Screen() {
  return (
    <>
      <PageHeader title="Home" />
      <EmptyState title="This screen is being built." />
    </>
  );
}
