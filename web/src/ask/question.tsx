// A question of the user: it can be asked anew, in other words or the same, and what came of each is kept.
import { useState } from "preact/hooks";
import { link } from "../route";
import { useFocus } from "../use";
import type { Attached } from "./types";

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
    return <form class="said user edit" aria-label="Edit the question" onSubmit={e => { e.preventDefault(); submit(); }}
      onKeyDown={e => { if (e.key === "Escape") set(undefined); }}>
      <label>
        <span class="hidden">Your question in other words</span>
        <textarea rows={3} value={to} ref={field} onInput={e => set(e.currentTarget.value)} onKeyDown={e => {
          if (e.key !== "Enter" || e.shiftKey || e.isComposing) return;
          e.preventDefault();
          submit();
        }} />
      </label>
      <span class="bar">
        <span class="soft small grow">What came of the question as it was stays.</span>
        <button class="primary" disabled={busy || !to.trim()}>Ask this</button>
        <button type="button" class="quiet" onClick={() => set(undefined)}>Keep</button>
      </span>
    </form>;
  }
  const at = versions.indexOf(here);
  const step = (by: number, sign: string, label: string) => {
    const to = versions[at + by];
    return to && <a class="button quiet" href={link(["ask", to])} aria-label={label}>{sign}</a>;
  };
  return <div class="said user">
    <span class="hidden">You:</span>
    <p>{text}</p>
    {files.length > 0 && <p class="chips small" aria-label="Files of the question">
      {files.map(f => <a key={f.name} class="button chip" href={link(["files", f.id ?? f.name])}>{f.name}</a>)}
    </p>}
    <span class="bar ways">
      {at >= 0 && versions.length > 1 && <>
        {step(-1, "‹", "The question before this one")}
        <span class="soft small">{at + 1} of {versions.length}</span>
        {step(1, "›", "The question after this one")}
      </>}
      <button class="quiet" disabled={busy} ref={button} onClick={() => set(text)}>Edit</button>
      <button class="quiet" disabled={busy} onClick={() => again(text)}>Run again</button>
    </span>
  </div>;
}
