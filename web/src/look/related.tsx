// What belongs to a table: joins, metrics, and what people know of it.
import { get } from "../api";
import { useAsked } from "../use";
import { KnownOf } from "../known/knowledge";
import { List } from "../ui/list";
import { Joins } from "./joins";
import type { Model, Schema } from "../types";
import { look as T } from "../texts/en/look";

export function Related({ schema, desk }: { schema: Schema; desk: boolean }) {
  return <>
    <Joins schema={schema} />
    <KnownOf schema={schema} desk={desk} />
    <Metrics id={schema.table_id} />
  </>;
}

/** The metrics of the semantic model that are made of this table. */
function Metrics({ id }: { id: string }) {
  const model = useAsked(signal => get<Model>("/api/v2/model", signal), []);
  const own = model.data?.tables.filter(t => t.table_id === id).map(t => t.name) ?? [];
  const metrics = model.data?.metrics.filter(m => !m.inner && own.includes(m.table ?? "")) ?? [];
  if (!metrics.length) return null;
  return <section>
    <h2>{T.metrics}</h2>
    <List name={T.metrics} head={[T.metric, T.whatItIs]} rows={metrics} empty="" row={m => [
      <code>{m.name}</code>, m.unclear || m.description || m.label || ""]} />
  </section>;
}
