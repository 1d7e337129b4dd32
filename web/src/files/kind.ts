// What a file is, in a word that people use.
import { files as T } from "../texts/en/files";

const kinds: [RegExp, string][] = [
  [/spreadsheet|ms-excel/, T.workbook],
  [/wordprocessing|msword/, T.document],
  [/presentation|powerpoint/, T.presentation],
  [/pdf/, "PDF"],
  [/parquet/, T.parquet],
  [/arrow/, T.arrow],
  [/csv/, "CSV"],
  [/tab-separated/, "TSV"],
  [/ndjson|jsonl/, T.jsonLines],
  [/json/, "JSON"],
  [/markdown/, T.markdown],
  [/html/, T.webPage],
  [/xml/, "XML"],
  [/yaml/, "YAML"],
  [/sql/, "SQL"],
  [/svg/, T.svgPicture],
  [/^image\//, T.picture],
  [/^audio\//, T.sound],
  [/^video\//, T.film],
  [/zip|gzip|zstd|tar/, T.archive],
  [/^text\//, T.text],
];

/** Programs see the media type; people read what it stands for. */
export function kindOf(f: { name: string; mime_type: string }): string {
  const word = kinds.find(([of]) => of.test(f.mime_type))?.[1];
  const ending = /\.([a-z0-9]{1,5})$/i.exec(f.name)?.[1];
  return word ?? (ending ? ending.toUpperCase() + T.file : T.file2);
}

/** Names of files that have rows. */
export const ofRows =
  /\.(csv|tsv|tab|json|ndjson|jsonl|parquet|pq|arrow|arrows|feather|xlsx|xlsm|xls|xlsb)(\.(gz|zst))?$/i;
