// A button that copies text.
import { useState } from "preact/hooks";
import { ui as T } from "../texts/en/ui";

export function Copy({ text, label = T.copy }: { text: () => string | Promise<string>; label?: string }) {
  const [done, set] = useState("");
  const copy = () => {
    Promise.resolve(text()).then(t => navigator.clipboard.writeText(t)).then(() => set(T.copied), () =>
      set(T.notCopied));
    setTimeout(() => set(""), 1600);
  };
  return <button type="button" class="quiet" onClick={copy}><span aria-live="polite">{done || label}</span></button>;
}

/** A title as the name of a file. */
export const fileName = (title: string, ending: string) =>
  `${title.replace(/[\/\\:*?"<>|\x00-\x1f]+/g, " ").trim().slice(0, 80) || "rows"}.${ending}`;

/** Offers data as a file. */
export function download(name: string, type: string, data: BlobPart) {
  const address = URL.createObjectURL(new Blob([data], { type }));
  const a = document.createElement("a");
  a.href = address;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
