// A question of the user: it can be asked anew, in other words or the same, and what came of each is kept.
import { useState } from "preact/hooks";
import { link } from "../route";
import { useFocus } from "../use";
import type { Attached } from "./types";
import { ask as T } from "../texts/en/ask";
import { say } from "../texts/say";

interface QuestionProps {
  text: string; busy: boolean; files: Attached[];
  /** Conversations that differ from here on, and the one that is shown. */
  versions: string[]; here: string;
  /** Asks it anew, in a conversation that begins with what is above. */
  again: (text: string) => void;
}

export function Question({ text, files, busy, versions, here, again }: QuestionProps) {
  const [to, set] = useState<string>(), open = to !== undefined;
  const field = useFocus<HTMLTextAreaElement>(open), button = useFocus<HTMLButtonElement>(open);
  const submit = () => {
    if (!to?.trim()) return;
    set(undefined);
    again(to.trim());
  };
  if (open) {
    return <form class="said user edit" aria-label={T.editQuestion} onSubmit={e => { e.preventDefault(); submit(); }}
      onKeyDown={e => { if (e.key === "Escape") set(undefined); }}>
      <label>
        <span class="hidden">{T.yourQuestionInOther}</span>
        <textarea rows={3} value={to} ref={field} onInput={e => set(e.currentTarget.value)} onKeyDown={e => {
          if (e.key !== "Enter" || e.shiftKey || e.isComposing) return;
          e.preventDefault();
          submit();
        }} />
      </label>
      <span class="bar">
        <span class="soft small grow">{T.whatCameOfQuestion}</span>
        <button class="primary" disabled={busy || !to.trim()}>{T.askThis}</button>
        <button type="button" class="quiet" onClick={() => set(undefined)}>{T.keep}</button>
      </span>
    </form>;
  }
  const at = versions.indexOf(here);
  const step = (by: number, sign: string, label: string) => {
    const to = versions[at + by];
    return to && <a class="button quiet" href={link(["ask", to])} aria-label={label}>{sign}</a>;
  };
  return <div class="said user">
    <span class="hidden">{T.you}</span>
    <p>{text}</p>
    {files.length > 0 && <p class="chips small" aria-label={T.filesOfQuestion}>
      {files.map(f => <a key={f.name} class="button chip" href={link(["files", f.id ?? f.name])}>{f.name}</a>)}
    </p>}
    <span class="bar ways">
      {at >= 0 && versions.length > 1 && <>
        {step(-1, "‹", T.questionBeforeThisOne)}
        <span class="soft small">{say(T.of, { at: at + 1, versions: versions.length })}</span>
        {step(1, "›", T.questionAfterThisOne)}
      </>}
      <button class="quiet" disabled={busy} ref={button} onClick={() => set(text)}>{T.edit}</button>
      <button class="quiet" disabled={busy} onClick={() => again(text)}>{T.runAgain}</button>
    </span>
  </div>;
}
