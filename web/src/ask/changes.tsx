// Files that a conversation has made or changed: they wait in its draft for the user.
import { get } from "../api";
import { OneDraft } from "../files/drafts";
import { useAsked } from "../use";
import type { Draft } from "../files/types";
import { ask as T } from "../texts/en/ask";

/** The draft of a conversation, if there is one. */
export function Changes({ conversation }: { conversation: string }) {
  const drafts = useAsked(signal => get<{ drafts: Draft[] }>("/api/drafts", signal), []);
  const draft = drafts.data?.drafts.find(d => d.name === "ask_" + conversation);
  return draft ? <OneDraft title={T.filesThatHaveChanged} draft={draft} changed={drafts.again} /> : null;
}
