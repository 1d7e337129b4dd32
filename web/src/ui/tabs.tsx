import { link } from "../route";
import { ui as T } from "../texts/en/ui";

/** Tabs that are links, so that each has an address. */
export function Tabs({ base, tabs, active }: { base: string[]; tabs: [id: string, label: string][]; active: string }) {
  return <nav class="tabs" aria-label={T.partsOfThisPage}>
    {tabs.map(([id, label]) =>
      <a key={id} href={link([...base, id])} aria-current={id === active ? "page" : undefined}>{label}</a>
    )}
  </nav>;
}
