// What a file is, in a word that people use.
const kinds: [RegExp, string][] = [
  [/spreadsheet|ms-excel/, "Workbook"],
  [/wordprocessing|msword/, "Document"],
  [/presentation|powerpoint/, "Presentation"],
  [/pdf/, "PDF"],
  [/parquet/, "Parquet"],
  [/arrow/, "Arrow"],
  [/csv/, "CSV"],
  [/tab-separated/, "TSV"],
  [/ndjson|jsonl/, "JSON lines"],
  [/json/, "JSON"],
  [/markdown/, "Markdown"],
  [/html/, "Web page"],
  [/xml/, "XML"],
  [/yaml/, "YAML"],
  [/sql/, "SQL"],
  [/svg/, "SVG picture"],
  [/^image\//, "Picture"],
  [/^audio\//, "Sound"],
  [/^video\//, "Film"],
  [/zip|gzip|zstd|tar/, "Archive"],
  [/^text\//, "Text"],
];

/** Programs see the media type; people read what it stands for. */
export function kindOf(f: { name: string; mime_type: string }): string {
  const word = kinds.find(([of]) => of.test(f.mime_type))?.[1];
  const ending = /\.([a-z0-9]{1,5})$/i.exec(f.name)?.[1];
  return word ?? (ending ? ending.toUpperCase() + " file" : "File");
}

/** Names of files that have rows. */
export const ofRows =
  /\.(csv|tsv|tab|json|ndjson|jsonl|parquet|pq|arrow|arrows|feather|xlsx|xlsm|xls|xlsb)(\.(gz|zst))?$/i;
