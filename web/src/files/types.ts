// The shapes of packages workspace and filehttp.
import type { Caveat } from "../types";

export interface File {
  id: string; name: string; mime_type: string; size: number; version: number; sha256: string; source: string;
  created_on: string; modified_on: string; deleted_on?: string; versions_removed?: number;
}
export interface FileList {
  files: File[];
  usage: { files: number; bytes: number; total_bytes: number; max_file_bytes: number; max_total_bytes: number };
}
export interface Version {
  version: number;
  size: number;
  action: string;
  modified_on: string;
  current: boolean;
}
export interface FileInfo extends File {
  kind: string;
  lines?: number;
  content?: unknown;
  problem?: string;
  versions: Version[];
}
export interface Draft {
  name: string;
  changes: number;
  created_on: string;
}
/** One place at which a file differs; an empty side: it was not there, or is gone. */
export interface Difference { place: string; before: string; after: string }
export interface DraftChange {
  action: string; file: File; before: File | null; conflict: boolean;
  content: { changes: Difference[]; more?: boolean; caveats?: Caveat[]; problem?: string };
}
export interface DraftDiff { draft: string; changes: DraftChange[] }
