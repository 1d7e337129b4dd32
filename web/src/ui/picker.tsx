// The browser's own picker of a date or time, beside a field in which both can be typed.
import { useRef } from "preact/hooks";
import { isTime } from "../values";
import { ui as T } from "../texts/en/ui";
import { say } from "../texts/say";

/** A picked time as statements have it: with seconds, and a space before its hours. */
export const written = (picked: string) => picked.replace("T", " ").replace(/ \d\d:\d\d$/, "$&:00");

interface PickerProps {
  /** What it is for. */ of: string;
  /** Of the column. */ type: string;
  value: string; set: (value: string) => void;
}

export function Picker({ of, type, value, set }: PickerProps) {
  const field = useRef<HTMLInputElement>(null), day = /^date$/i.test(type);
  if (!isTime({ type })) return null;
  return <span class="picker">
    <button type="button" class="quiet small" aria-label={say(T.pick,
      { of })} title={say(T.pick, { of })} onClick={() =>
      field.current?.showPicker()}>▾</button>
    <input ref={field} class="hidden" tabIndex={-1} aria-hidden="true" type={day ? "date" : "datetime-local"} step={1}
      value={/^\d{4}-\d\d-\d\d/.test(value) ? value.slice(0, day ? 10 : 19).replace(" ", "T") : ""}
      onChange={e => set(written(e.currentTarget.value))} />
  </span>;
}
