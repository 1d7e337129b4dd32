package api

import (
	"maps"
	"slices"
)

// The kinds of CodeSource. Sources choose from this list, so that clients know
// whether a retry can help.
const (
	SourceUnreachable  = "unreachable"
	SourceNoAnswer     = "no_answer"
	SourceDown         = "unavailable"
	SourceBroken       = "connection_lost"
	SourceUnexpected   = "unexpected_answer"
	SourceStrange      = "strange_answer" // an object store contradicts itself
	SourceChanged      = "changed_meanwhile"
	SourceResources    = "out_of_resources"
	SourceTooManyFiles = "too_many_files" // no more files can be opened now
	SourceCacheFull    = "cache_full"     // of data that other requests read
	SourceDiskFull     = "disk_full"

	SourceCacheTooSmall     = "cache_too_small" // for what one request reads
	SourceBadPath           = "bad_path"        // the relation's name, or what is there, cannot be a table
	SourceOutsideRoot       = "outside_root"    // a link points outside the root
	SourceNoFiles           = "no_files"
	SourceUnlikeFiles       = "unlike_files" // the files do not form one table
	SourceUnreadable        = "unreadable"   // a file is broken, or its permissions forbid reading
	SourceTooWide           = "too_wide"     // too many columns
	SourceBadColumn         = "bad_column"   // no query can contain its name
	SourceNoRelation        = "no_relation"
	SourceNotFound          = "not_found"
	SourceNoDatabase        = "no_database"
	SourceNoBucket          = "no_bucket"
	SourceNoETags           = "no_etags"
	SourceBadCredentials    = "bad_credentials"
	SourceCredentials       = "credentials" // no usable credentials
	SourcePermissionDenied  = "permission_denied"
	SourceAccessDenied      = "access_denied"
	SourceBadDSN            = "bad_dsn"
	SourceUnsupportedServer = "unsupported_server"
	SourceFunctionPath      = "function_path"  // function names may resolve to functions other than the engine's own
	SourceEngineCrashed     = "engine_crashed" // also used with CodeUnexpected if a call crashed the engine's process; a retry would crash it again
)

// lasting says for each kind whether the failure persists until somebody changes
// the source, its rights, the request, or the instance's settings for it.
var lasting = map[string]bool{
	SourceUnreachable: false, SourceNoAnswer: false, SourceDown: false, SourceBroken: false, SourceUnexpected: false, SourceStrange: false,
	SourceChanged: false, SourceResources: false, SourceTooManyFiles: false, SourceCacheFull: false, SourceDiskFull: false,

	SourceCacheTooSmall: true, SourceBadPath: true, SourceOutsideRoot: true, SourceNoFiles: true, SourceUnlikeFiles: true, SourceUnreadable: true,
	SourceTooWide: true, SourceBadColumn: true, SourceNoRelation: true, SourceNotFound: true, SourceNoDatabase: true, SourceNoBucket: true,
	SourceNoETags: true, SourceBadCredentials: true, SourceCredentials: true, SourcePermissionDenied: true, SourceAccessDenied: true,
	SourceBadDSN: true, SourceUnsupportedServer: true, SourceFunctionPath: true, SourceEngineCrashed: true,
}

// LastingKinds lists the kinds of CodeSource that are not retryable, sorted.
func LastingKinds() []string {
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(lasting)) {
		if lasting[k] {
			kinds = append(kinds, k)
		}
	}
	return kinds
}
