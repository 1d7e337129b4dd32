package api

import (
	"cmp"
	"slices"
)

// KindOfError documents a kind, which refines a code.
type KindOfError struct {
	Kind  string
	Means string
	Next  string // the usual next step, which replaces a missing hint
	Codes []Code // that it comes with; empty: any
	// passes says that a failure of a source passes by itself. Others of CodeSource
	// last until somebody changes the source, its rights, the request, or the
	// instance's settings for it.
	passes bool
}

// The kinds of errors. Whoever makes an error chooses from this list; docs/errors.md
// is made of it. A kind may come with several codes.
var (
	// What may be read and done, and by whom.

	KindAuthorizationPending = kind("authorization_pending", "Nobody has approved the machine yet.", "Ask again after the interval.", CodeBadRequest)
	KindExpiredToken         = kind("expired_token", "The code of the machine was used, or is too old.", "Log in again.", CodeUnauthorized)
	KindSlowDown             = kind("slow_down", "The machine asks more often than it may.", "Wait longer from one poll to the next.", CodeBadRequest)
	KindUnknownCode          = kind("unknown_code", "No machine waits with this code.", "Type the code that the machine shows.", CodeBadRequest)
	KindPageOnly             = kind("page_only", "Only a person at the page may do this.", "Sign in at the page.", CodeForbidden)
	KindAdminOnly            = kind("admin_only", "Only admins may do this.", "Ask an admin.", CodeForbidden)
	KindCuratorsOnly         = kind("curators_only", "Only admins and curators may do this.", "Ask one of them.", CodeForbidden)
	KindClaimMissing         = kind("claim_missing", "The sign-in provider does not say who the person is.", "The operator maps another claim.", CodeUnauthorized)
	KindCrossOrigin          = kind("cross_origin", "The request comes from a page of another site.", "Send it from the page itself.", CodeForbidden)
	KindDownloadsOff         = kind("downloads_off", "The server downloads no files.", "The operator allows hosts in the instance file.", CodeForbidden)
	KindKeyring              = kind("keyring", "The token of a login is in the system's keyring, which cannot be read.", "Unlock it, or set DA_TOKEN.", CodeConfig)
	KindLastAdmin            = kind("last_admin", "The change would leave the instance without an admin.", "Make another user an admin first.", CodeBadRequest)
	KindLinkUsed             = kind("link_used", "The link was opened before, or is too old.", "Open the page again.", CodeUnauthorized)
	KindNotLoggedIn          = kind("not_logged_in", "There is no login to end.", "Nothing needs to be done.", CodeConfig)
	KindProviderRefused      = kind("provider_refused", "The sign-in provider did not sign the person in.", "Begin again from the page.", CodeUnauthorized)
	KindProviderUnreachable  = kind("provider_unreachable", "The sign-in provider cannot be reached.", "Try again later.", CodeUnavailable)
	KindSignInEnded          = kind("sign_in_ended", "The browser is not signed in any more.", "Sign in again.", CodeUnauthorized)
	KindSignInMismatch       = kind("sign_in_mismatch", "Another browser began the sign-in, or it is too old.", "Begin again from the page.", CodeUnauthorized)
	KindStoppedByAdmin       = kind("stopped_by_admin", "An admin has stopped the request.", "Ask the admin why before you repeat it.", CodeForbidden)
	KindTokenExpired         = kind("token_expired", "The token has expired.", "Log in with a new token.", CodeUnauthorized)
	KindTokenMissing         = kind("token_missing", "There is no token, or nothing that can be one.", "Log in, or set DA_TOKEN.", CodeUnauthorized, CodeBadRequest)
	KindTokenRevoked         = kind("token_revoked", "The token was revoked.", "Log in with another token.", CodeUnauthorized)
	KindTokenUnknown         = kind("token_unknown", "The server does not know the token.", "Log in with a token of this server.", CodeUnauthorized)
	KindTooManyFailures      = kind("too_many_failures", "Too many wrong tokens came from this address.", "Wait as long as retry_after_seconds says.", CodeUnauthorized)
	KindUnknownHost          = kind("unknown_host", "A server for its own machine was asked by another name.", "Ask it as localhost.", CodeForbidden)
	KindUnknownUser          = kind("unknown_user", "The instance has no user of this name.", "List the users.", CodeUnauthorized, CodeBadRequest)
	KindUserDeleted          = kind("user_deleted", "The token's user was deleted.", "Ask an admin.", CodeUnauthorized)

	// Requests, arguments and names.

	KindArguments           = kind("arguments", "The arguments of a tool do not fit its schema.", "Correct the argument that the message names.", CodeUsage)
	KindAsOf                = kind("as_of", "The table cannot be read as it was.", "Read it as it is.", CodeBadRequest, CodeForbidden)
	KindBadBudget           = kind("bad_budget", "A budget is negative.", "Give one from 0, or none.", CodeBadRequest)
	KindBadClient           = kind("bad_client", "The name of the calling program is not valid.", "Shorten it.", CodeBadRequest)
	KindBadExpiry           = kind("bad_expiry", "A token would never be valid, or for more than 100 years.", "Choose another time.", CodeBadRequest)
	KindBadGrant            = kind("bad_grant", "A grant names neither or both of a user and a group.", "Name one of them.", CodeBadRequest)
	KindBadMask             = kind("bad_mask", "There is no such mask, or it does not fit the column's type.", "Choose one that fits the column, such as null or hash.", CodeBadRequest, CodeQueryFailed)
	KindBadMode             = kind("bad_mode", "The query mode is neither remote nor local.", "Choose one of them.", CodeBadRequest)
	KindBadName             = kind("bad_name", "The name of a user or group is reserved or not valid.", "Choose another name.", CodeBadRequest)
	KindBadNote             = kind("bad_note", "The note is empty, too long, or about nothing that can have one.", "Change what the message names.", CodeBadRequest)
	KindBadSession          = kind("bad_session", "The name of the session is not valid.", "Shorten it.", CodeBadRequest)
	KindBadTable            = kind("bad_table", "The relation or description of a table is missing or too long.", "Shorten it.", CodeBadRequest)
	KindBody                = kind("body", "The body is not the JSON that is expected.", "Correct it as the message says.", CodeBadRequest)
	KindBudget              = kind("budget", "The budget of a question is below 0.", "Leave it out.", CodeBadRequest)
	KindContentType         = kind("content_type", "The body has another type than the path takes.", "Set the header Content-Type.", CodeBadRequest)
	KindDuplicateField      = kind("duplicate_field", "The body has a field twice.", "Remove one.", CodeBadRequest)
	KindForm                = kind("form", "The form of an upload has not exactly the one part 'file'.", "Send each file by its own request.", CodeBadRequest)
	KindFormat              = kind("format", "There is no such format, or it cannot hold these columns.", "Choose another format.", CodeBadRequest)
	KindHeader              = kind("header", "A header does not have the form that it must have.", "Correct it as the message says.", CodeBadRequest)
	KindImported            = kind("imported", "An imported snapshot has no source to refresh it from.", "Import the file again.", CodeUsage)
	KindIncomplete          = kind("incomplete", "The body or a part of the request is missing.", "Send it again.", CodeBadRequest)
	KindInsecureHTTP        = kind("insecure_http", "A token would travel over plain HTTP.", "Use https.", CodeConfig)
	KindInsecureListen      = kind("insecure_listen", "The server would take tokens over plain HTTP from other machines.", "Give it a certificate, or say that a proxy encrypts.", CodeUsage)
	KindKeyNotUnique        = kind("key_not_unique", "The columns that are to identify rows have the same values twice.", "Choose other columns.", CodeUsage)
	KindLimit               = kind("limit", "The number of rows is not possible.", "Give one from 1.", CodeBadRequest)
	KindMaxTokens           = kind("max_tokens", "The budget of tokens is too small for any answer.", "Raise it.", CodeUsage)
	KindMetric              = kind("metric", "A metric, its dimensions or conditions are not understood together.", "Ask as the message says.", CodeUsage)
	KindMethodNotAllowed    = kind("method_not_allowed", "The path does not answer this method.", "Use one that the header Allow names.", CodeBadRequest)
	KindNoMessage           = kind("no_message", "There is nothing to answer.", "Write a message.", CodeBadRequest)
	KindNoSuchRoute         = kind("no_such_route", "The server has no such path.", "Compare the releases of both sides.", CodeBadRequest)
	KindNoTables            = kind("no_tables", "The server reads no files as tables.", "Fetch the file and read it locally.", CodeBadRequest)
	KindNoTurn              = kind("no_turn", "No turn runs whose events are kept from there on.", "Read the conversation.", CodeBadRequest)
	KindNotForSync          = kind("not_for_sync", "The table is not one that is synced.", "Fetch it.", CodeBadRequest, CodeNotLocal)
	KindOtherServer         = kind("other_server", "The snapshot is from another server.", "Name that server.", CodeUsage)
	KindOwnFile             = kind("own_file", "The file is one of the state itself.", "Choose another path.", CodeBadRequest)
	KindParameter           = kind("parameter", "A parameter is missing, unknown or not valid, or stands where none can.", "Correct it as the message says.", CodeBadRequest, CodeUsage, CodeRejected, CodeStatement)
	KindPattern             = kind("pattern", "The pattern is not a regular expression.", "Correct it.", CodeUsage)
	KindRange               = kind("range", "The range is outside the file or not valid.", "Ask for one within the size that the error names.", CodeBadRequest, CodeValidation)
	KindReadOnly            = kind("read_only", "The session writes nothing.", "Query what is here.", CodeUsage)
	KindSearch              = kind("search", "The words to search for are missing or too long, or too many hits are asked for.", "Search for fewer words.", CodeBadRequest)
	KindSyntax              = kind("syntax", "The body is not a JSON object in UTF-8.", "Correct it.", CodeBadRequest)
	KindTableExists         = kind("table_exists", "A table of this id exists already.", "Choose another id.", CodeBadRequest)
	KindSameName            = kind("same_name", "The names of two columns differ only in case.", "Leave one of them out.", CodeBadRequest)
	KindTitle               = kind("title", "The title is empty or too long.", "Shorten it.", CodeBadRequest)
	KindTooRecent           = kind("too_recent", "Today's events cannot be removed.", "Choose an earlier day.", CodeBadRequest)
	KindUnknownConversation = kind("unknown_conversation", "There is no such conversation.", "List the conversations.", CodeUsage)
	KindUnknownDashboard    = kind("unknown_dashboard", "There is no such dashboard, or you may not see it.", "List the dashboards.", CodeUnknownFile)
	KindUnknownDimension    = kind("unknown_dimension", "The metric has no such dimension, or several are called so.", "Choose a dimension of the metric.", CodeUsage)
	KindUnknownField        = kind("unknown_field", "There is no such field.", "Compare the spelling, or the releases of both sides.", CodeBadRequest, CodeRejected)
	KindUnknownQuestion     = kind("unknown_question", "No question of this name is kept, or you may not see it.", "List the questions.", CodeBadRequest)
	KindDashboardExists     = kind("dashboard_exists", "There is a dashboard of this id.", "Choose another id, or replace it.", CodeTargetExists)
	KindNoFolder            = kind("no_folder", "The instance has no folder for dashboards.", "The operator names one under 'dashboards' in the instance file.", CodeBadRequest)
	KindQuestionExists      = kind("question_exists", "A question of this name is kept already.", "Choose another name, or replace it.", CodeTargetExists)
	KindQuestionChanged     = kind("question_changed", "The question is no longer the one that was looked at.", "Look at it again.", CodeConflict)
	KindBadQuestion         = kind("bad_question", "The question cannot be kept as it is.", "Change what the message names.", CodeBadRequest)
	KindUnknownNote         = kind("unknown_note", "There is no such note, or you may not see it.", "List the notes.", CodeBadRequest)
	KindTooManyKept         = kind("too_many_kept", "You keep as many notes and questions as you may.", "Remove some.", CodeBadRequest)
	KindUnknownGrant        = kind("unknown_grant", "There is no such grant.", "List the grants.", CodeBadRequest)
	KindUnknownMetric       = kind("unknown_metric", "There is no such metric, or it uses columns that the caller may not read.", "List the metrics.", CodeUsage)
	KindUnknownServer       = kind("unknown_server", "The name is neither a URL nor that of a login.", "Log in first.", CodeConfig)
	KindUnknownSource       = kind("unknown_source", "The instance has no such source.", "Choose one that the message names.", CodeBadRequest)
	KindUnknownTable        = kind("unknown_table", "There is no such table.", "Choose a table of the catalog.", CodeBadRequest, CodeValidation)
	KindUnknownToken        = kind("unknown_token", "There is no such token.", "List the tokens.", CodeBadRequest)
	KindWant                = kind("want", "A call asks for none of map, rows, stats and query.", "Choose one of them.", CodeValidation)
	KindWrongType           = kind("wrong_type", "A field has a JSON value of another type.", "Correct it as the message says.", CodeBadRequest)

	// Predicates and statements.

	KindAggregate         = kind("aggregate", "A predicate has an aggregate function.", "Aggregate in a query instead.", CodeRejected)
	KindBadCast           = kind("bad_cast", "A type cannot be cast so.", "Choose a type of docs/predicates.md.", CodeRejected)
	KindBadDefinition     = kind("bad_definition", "A view or step cannot be defined so.", "Give it another name or definition.", CodeStatement)
	KindBadLiteral        = kind("bad_literal", "A literal is not a value of its type.", "Write a value of the type.", CodeRejected)
	KindBadSubscript      = kind("bad_subscript", "A subscript does not have the form of the dialect, or is not of a list.", "Write it as docs/predicates.md does.", CodeRejected)
	KindBadTableName      = kind("bad_table_name", "No table can have this name.", "Correct the name.", CodeStatement)
	KindBadText           = kind("bad_text", "The statement is not UTF-8 or has a NUL.", "Correct the text.", CodeStatement)
	KindBinder            = kind("binder", "A column is not there, or is used in a way that does not fit its type.", "Name columns that are there, and cast values to types that fit.", CodeQueryFailed, CodeStatement)
	KindBytesLiteralRaw   = kind("bytes_literal_raw", "Bytes are written or compared in a way that dialects read differently.", "Write them as docs/predicates.md does.", CodeRejected)
	KindCommentInject     = kind("comment_inject", "A predicate has a comment.", "Leave it out.", CodeRejected)
	KindCrossTableRef     = kind("cross_table_ref", "A predicate names a column of another table.", "Use columns of this table.", CodeRejected)
	KindDDLInPredicate    = kind("ddl_in_predicate", "There is a statement where a condition belongs.", "Write a condition.", CodeRejected)
	KindEmpty             = kind("empty", "The statement is empty.", "Write a SELECT.", CodeStatement)
	KindExternalQuery     = kind("external_query", "A predicate would read from elsewhere.", "Leave it out.", CodeRejected)
	KindFileAccess        = kind("file_access", "The statement would read or write files.", "Query snapshots, or read files as tables.", CodeStatement)
	KindForbiddenFunction = kind("forbidden_function", "The function may not be called.", "Compute it in another way.", CodeStatement)
	KindInvalidQuery      = kind("invalid_query", "BigQuery refuses the query.", "Correct it as the message says.", CodeQueryFailed)
	KindMisfits           = kind("misfits", "Statements and standard input do not fit together.", "Give either a statement or standard input.", CodeValidation)
	KindMultiStatement    = kind("multi_statement", "There is more than one statement.", "Send each by its own call.", CodeRejected, CodeStatement)
	KindNestedSelect      = kind("nested_select", "A predicate has a SELECT.", "Write it as a query.", CodeRejected)
	KindNoRemoteQuery     = kind("no_remote_query", "No source here runs whole statements on these tables.", "Fetch the tables and query them locally.", CodeStatement)
	KindNoTable           = kind("no_table", "There is no table to read.", "Name one.", CodeStatement, CodeValidation)
	KindNotBoolean        = kind("not_boolean", "The predicate or expectation is not a condition.", "Compare the value with something.", CodeRejected, CodeUsage)
	KindNotPortable       = kind("not_portable", "Engines would read the predicate differently.", "Write it as docs/predicates.md does.", CodeRejected)
	KindNotSelect         = kind("not_select", "The statement is not a SELECT.", "Write a SELECT.", CodeStatement)
	KindOtherTable        = kind("other_table", "A table is named in another way than in the catalog.", "Name it as the catalog does.", CodeStatement)
	KindPartOfTable       = kind("part_of_table", "The statement reads a part of a table that rights do not cover.", "Read the table itself.", CodeStatement)
	KindQualifiedName     = kind("qualified_name", "A table is named with its schema or database.", "Use the name alone.", CodeStatement)
	KindSeveralSources    = kind("several_sources", "The tables of the statement are at several sources.", "Fetch them and join locally.", CodeStatement)
	KindSyntaxError       = kind("syntax_error", "The text does not follow the grammar.", "Correct it at the place that is named.", CodeRejected, CodeStatement)
	KindTablesUnknown     = kind("tables_unknown", "The source does not say which tables the statement reads.", "Write it without views and functions.", CodeStatement)
	KindTooDeep           = kind("too_deep", "The text is nested too deeply.", "Divide it.", CodeRejected, CodeStatement)
	KindTooLong           = kind("too_long", "The text, or a value that it builds, is too long.", "Shorten it.", CodeRejected, CodeStatement)
	KindTrailingClause    = kind("trailing_clause", "A clause follows the predicate.", "Use the option for it.", CodeRejected)
	KindType              = kind("type", "A column of the result has a type that does not travel.", "Cast it.", CodeStatement)
	KindTypeMismatch      = kind("type_mismatch", "The types of operands do not fit.", "Cast one, or compare with a value of its type.", CodeRejected)
	KindMaskedColumn      = kind("masked_column", "The column is masked for the caller: it can be selected in a fetch, and not be computed with.", "Leave it out of conditions, orders and statements.", CodeRejected)
	KindUnknownColumn     = kind("unknown_column", "There is no such column.", "Choose a column of the table.", CodeRejected, CodeUsage, CodeValidation)
	KindUnknownFunction   = kind("unknown_function", "There is no such function, or it is not known to be harmless.", "Use one of docs/predicates.md.", CodeRejected, CodeStatement)
	KindUnsupported       = kind("unsupported", "The statement has a part that is not known to be harmless.", "Write it without that part.", CodeStatement)
	KindValue             = kind("value", "A value cannot be what its column's type says.", "Cast it, or leave the row out.", CodeQueryFailed)
	KindWildcardExpansion = kind("wildcard_expansion", "A predicate has a *.", "Name the column.", CodeRejected)
	KindWindow            = kind("window", "A predicate has a window function.", "Use it in a query instead.", CodeRejected)
	KindWrongArity        = kind("wrong_arity", "A function has the wrong number or kinds of arguments.", "Give the arguments that the function takes.", CodeRejected)

	// Quotas, limits and room.

	KindBusy                 = kind("busy", "All workers are busy.", "Try again later.", CodeUnavailable)
	KindConcurrentScans      = kind("concurrent_scans", "As many scans run as one user may have.", "Wait for one to end.", CodeQuota)
	KindConnections          = kind("connections", "The server has as many connections as it may have.", "Try again later.", CodeUnavailable)
	KindConversation         = kind("conversation", "The conversation is as long as it may be.", "Begin a new one.", CodeTooLarge)
	KindCut                  = kind("cut", "A limit has cut the result, which may not be kept so.", "Narrow the request, or allow the cut.", CodeBudget, CodeQuota)
	KindDailyBudget          = kind("daily_budget", "The day's money for the model is spent.", "Wait until the next day.", CodeBudget)
	KindDailyBytes           = kind("daily_bytes", "The quota of the day is used up.", "Wait as long as retry_after_seconds says.", CodeQuota)
	KindData                 = kind("data", "The data of one call is too much.", "Write it in parts.", CodeTooLarge)
	KindDescriptors          = kind("descriptors", "The process has no free file descriptors.", "Try again later, or raise the limit of open files.", CodeUnavailable)
	KindFetchBytes           = kind("fetch_bytes", "A query would fetch more than it may.", "Narrow it, or raise the limit.", CodeBudget)
	KindFile                 = kind("file", "Work on a file took too long.", "Read a part of it.", CodeTimeout)
	KindFileSize             = kind("file_size", "The file would be larger than one file may be.", "Write less.", CodeTooLarge)
	KindMaxDailyBytesPerUser = kind("max_daily_bytes_per_user", "The quota of the day would not last for the refresh.", "Refresh later.", CodeQuota)
	KindMemory               = kind("memory", "The work takes more memory than it may.", "Select fewer columns or rows.", CodeBudget)
	KindNoProcess            = kind("no_process", "No process can be started for the work.", "Try again later.", CodeUnavailable)
	KindNoRoom               = kind("no_room", "There is no room for all of it.", "Free some space.", CodeDiskFull)
	KindNotChecked           = kind("not_checked", "No result could be checked without reading a source.", "Allow it to read the source.", CodeBudget)
	KindNotKept              = kind("not_kept", "The rows are not kept here any more.", "Read the source again.", CodeBudget, CodeUsage)
	KindNotShared            = kind("not_shared", "The conversation is not shared with the caller.", "Ask the person who sent the link.", CodeForbidden, CodeBadRequest)
	KindPythonBusy           = kind("python_busy", "Python is busy with other conversations.", "Try again later.", CodeUnavailable)
	KindPythonDisk           = kind("python_disk", "Python wrote more files than it may.", "Write less.", CodeTooLarge)
	KindRequestBytes         = kind("request_bytes", "The scan would read more than the call allows.", "Narrow it, or raise the limit.", CodeBudget)
	KindResultTooLarge       = kind("result_too_large", "The result is larger than kept results may be.", "Aggregate or narrow it.", CodeDiskFull)
	KindResultsBusy          = kind("results_busy", "Another process holds the kept results.", "Try again.", CodeSnapshotBusy)
	KindRows                 = kind("rows", "The statement has more rows than fit there.", "Add a LIMIT, or aggregate.", CodeTooLarge)
	KindSessionBytes         = kind("session_bytes", "The session's budget of bytes is used up.", "Begin another session, or narrow the request.", CodeBudget)
	KindStatementTimeout     = kind("statement_timeout", "The database stopped the statement: it took too long.", "Narrow it.", CodeTimeout)
	KindTooManyStreams       = kind("too_many_streams", "As many events or answers are open as may be.", "Close one.", CodeUnavailable)
	KindTooManyTurns         = kind("too_many_turns", "The model is busy with others.", "Try again.", CodeUnavailable)
	KindTooManyUploads       = kind("too_many_uploads", "You have as many uploads open as you may have.", "Wait for one to end.", CodeUnavailable)
	KindTurns                = kind("turns", "The conversation has all the turns that it may have.", "Begin a new one.", CodeBudget)
	KindWorkspaceFull        = kind("workspace_full", "The workspace is full.", "Delete files.", CodeTooLarge)
	KindWouldBeCut           = kind("would_be_cut", "A limit would cut the result.", "Narrow the request, or allow the cut.", CodeBudget)

	// Snapshots, syncs and streams.

	KindBadFile          = kind("bad_file", "The file that came cannot be read.", "Fetch it again.", CodeStreamCut)
	KindChanged          = kind("changed", "What is read has changed since the last answer.", "Read it again from the start.", CodeBadRequest, CodeReadFailed, CodeStreamCut)
	KindCheckFailed      = kind("check_failed", "A result is not what was expected of it.", "Look at the details of the failed checks.", CodeCheckFailed)
	KindBadChecks        = kind("bad_checks", "A file of expectations is not valid.", "Correct it as the message says.", CodeConfig)
	KindBadSteps         = kind("bad_steps", "A file of steps is not valid.", "Correct it as the message says.", CodeConfig)
	KindStepFailed       = kind("step_failed", "Steps of a file of steps have failed.", "Look at the details of the failed steps.")
	KindUnknownSession   = kind("unknown_session", "There is no journal of this session.", "List the sessions.", CodeUsage)
	KindBadQuestions     = kind("bad_questions", "A file of questions, or its recording, is not valid.", "Correct it as the message says.", CodeConfig, CodeUsage)
	KindChanging         = kind("changing", "What the statement reads changes while it is fetched.", "Try again.", CodeSnapshotBusy)
	KindConversationBusy = kind("conversation_busy", "Another process has the conversation open.", "Wait until it has ended.", CodeSnapshotBusy)
	KindDamaged          = kind("damaged", "The file is damaged.", "Fetch it again, or open it where it was made and save it.", CodeReadFailed)
	KindDataChanged      = kind("data_changed", "A snapshot's data file is not the one that was fetched.", "Refresh the snapshot.", CodeReadFailed)
	KindDataMissing      = kind("data_missing", "A snapshot's data file is missing or unreadable.", "Refresh the snapshot.", CodeReadFailed)
	KindNoReceipt        = kind("no_receipt", "A file does not say where its figures come from.", "Write it with da, or take the file before another program has dropped that.", CodeValidation)
	KindNotWritten       = kind("not_written", "A figure of a file was not written by da.", "Ask who typed it.", CodeValidation)
	KindFigures          = kind("figures", "Figures of a file are not what was written, or not what their statements give now.", "See the list of them; fill the template again, or correct the file.", CodeCheckFailed)
	KindDrifted          = kind("drifted", "A result is not what it was.", "Compare the tables that it reads.", CodeSchemaDrift)
	KindFormatNewer      = kind("format_newer", "A later release wrote the snapshot.", "Use that release, or fetch it again.", CodeReadFailed)
	KindHash             = kind("hash", "The bytes are not those that were announced.", "Sync again.", CodeStreamCut)
	KindIsSnapshot       = kind("is_snapshot", "The name is that of a local snapshot, not of a table at the source.", "Query it locally.", CodeUnknownTable)
	KindMalformed        = kind("malformed", "The stream does not follow its format.", "Try again.", CodeStreamCut)
	KindNoPrevious       = kind("no_previous", "The snapshot has no earlier state.", "The next refresh keeps one.", CodeUnknownSnapshot)
	KindNotAnnounced     = kind("not_announced", "The file is not the one that the manifest announced.", "Sync again.", CodeStreamCut)
	KindNotAsked         = kind("not_asked", "The server sent another result than the one asked for.", "Try again.", CodeStreamCut)
	KindNotPacked        = kind("not_packed", "The folder is not an exported snapshot.", "Export it again.", CodeReadFailed)
	KindResult           = kind("result", "There is no such kept result.", "List the results.", CodeUnknownSnapshot)
	KindSchemaDrift      = kind("schema_drift", "The columns or types of the table have changed.", "Look at the difference, then fetch again.", CodeSchemaDrift)
	KindSidecarInvalid   = kind("sidecar_invalid", "A snapshot's description cannot be read.", "Fetch it again, or drop it.", CodeReadFailed)
	KindSlow             = kind("slow", "The answer was not complete in time.", "Try again.", CodeStalled)
	KindSyncBusy         = kind("sync_busy", "Another sync is running.", "Wait for it to end.", CodeSnapshotBusy)

	// Files and documents.

	KindBase64             = kind("base64", "The data is not base64.", "Encode it with padding.", CodeValidation)
	KindBinary             = kind("binary", "The file has no text to read.", "Use the tools for its type.", CodeValidation)
	KindCrashed            = kind("crashed", "The process that worked on the file crashed.", "Save the file again where it was made.", CodeReadFailed)
	KindDraft              = kind("draft", "There is no such draft, or its files have changed since.", "List the drafts, or make it again.", CodeUnknownFile, CodeConflict)
	KindEncoding           = kind("encoding", "There is no such encoding, or it cannot hold the text.", "Choose UTF-8.", CodeUsage, CodeValidation)
	KindEncrypted          = kind("encrypted", "The file is encrypted.", "Give its password, or save it without.", CodeReadFailed)
	KindFilesOff           = kind("files_off", "The server keeps no files.", "The operator allows it in the instance file.", CodeUnavailable)
	KindHost               = kind("host", "Files may not be downloaded from this host.", "Ask the operator to allow it.", CodeValidation)
	KindJSON               = kind("json", "The file is not JSON of rows.", "Correct it at the line that the message names.", CodeReadFailed)
	KindMarkup             = kind("markup", "The file is a web page or XML, not a table.", "Save it as CSV.", CodeReadFailed)
	KindName               = kind("name", "There is a file of this name.", "Choose another name, or make a new version.", CodeTargetExists)
	KindNoPlaceholder      = kind("no_placeholder", "The template has no placeholder.", "Write one.", CodeValidation)
	KindNoStatement        = kind("no_statement", "A placeholder has no statement.", "Write one.", CodeValidation)
	KindNotAlone           = kind("not_alone", "A placeholder for a table or plot has text around it.", "Put it into a paragraph of its own.", CodeValidation)
	KindNotOneValue        = kind("not_one_value", "The statement of a placeholder for a value gives more than one.", "Give one row of one column.", CodeValidation)
	KindNotText            = kind("not_text", "A file of this name cannot be written as text.", "Use the tools for its type.", CodeInvalidName)
	KindOption             = kind("option", "The option means nothing for this format.", "Leave it out.", CodeValidation)
	KindPlotKind           = kind("plot_kind", "A placeholder for a plot does not name its kind.", "Name it before the statement.", CodeValidation)
	KindPrivateAddress     = kind("private_address", "The address is one of a private network.", "Choose a public one.", CodeValidation)
	KindRedirects          = kind("redirects", "The address leads on too many times.", "Use the last address.", CodeValidation)
	KindRestricted         = kind("restricted", "The owner of the PDF has not allowed this change.", "Ask for a file without the restriction.", CodeValidation)
	KindScheme             = kind("scheme", "Only https addresses are downloaded.", "Use https.", CodeValidation)
	KindStatus             = kind("status", "The web server answers with an error.", "Look at the status in the details.", CodeReadFailed)
	KindTooLarge           = kind("too_large", "The file, picture or body is too large.", "Send or read a part.", CodeBadRequest, CodeReadFailed)
	KindUnclosed           = kind("unclosed", "A placeholder does not end within its paragraph or cell.", "Close it.", CodeValidation)
	KindUnknownPlaceholder = kind("unknown_placeholder", "There is no such kind of placeholder.", "Use value, sql, table or plot.", CodeValidation)
	KindURL                = kind("url", "The address is not a URL.", "Correct it.", CodeValidation)
	KindVersion            = kind("version", "There is no such version of the file.", "List the versions.", CodeUnknownFile)
	KindWhichTable         = kind("which_table", "The file has several tables.", "Choose one by its index.", CodeValidation)
	KindWrongFormat        = kind("wrong_format", "The file is not of the format that its name says, or one that is not read.", "Save it in a format that is read.", CodeReadFailed)
	KindWrongKind          = kind("wrong_kind", "The file is of a type that this is not for.", "Use the tools for its type.", CodeValidation)

	// The agent and Python.

	KindValuesHidden   = kind("values_hidden", "The model is not sent values of the data.", "Compute it in SQL and write placeholders.", CodeForbidden, CodeUsage)
	KindAgentOff       = kind("agent_off", "The server has no model that answers.", "The operator sets one in the instance file.", CodeUnavailable)
	KindContextTooLong = kind("context_too_long", "The conversation is longer than the model reads.", "Begin a new one.", CodeBadRequest)
	KindNoClientSecret = kind("no_client_secret", "The variable that holds the secret of the OpenID client is not set.", "Set it.", CodeConfig)
	KindNoModel        = kind("no_model", "No model is configured.", "Set one in the client config.", CodeConfig)
	KindNoModelKey     = kind("no_model_key", "The variable that holds the key of the model is not set.", "Set it.", CodeConfig)
	KindNoPrices       = kind("no_prices", "A budget in money needs the prices of the model.", "Set the prices.", CodeConfig)
	KindNoPython       = kind("no_python", "No Python that can be used was found.", "Install one, or compute it in SQL.", CodeUnavailable)
	KindNoSandbox      = kind("no_sandbox", "This machine cannot confine Python or LibreOffice.", "Compute it in SQL; open the file in a program.", CodeUnavailable)
	KindNoOffice       = kind("no_office", "LibreOffice, which draws pages of office files, was not found.", "Install it, or open the file in a program.", CodeUnavailable)
	KindPython         = kind("python", "The instance file allows Python, which is not possible here.", "Repair what the message names, or do without Python.", CodeConfig)
	KindPythonEnded    = kind("python_ended", "Python ended or took too long.", "Change the code and run it again.", CodeBadRequest)
	KindTooManyCalls   = kind("too_many_calls", "The model asks for too many calls in one reply.", "Ask again.", CodeReadFailed)

	// The program, its server and its machine.

	KindDoctor   = kind("doctor", "At least one check failed.", "Look at the checks that failed.")
	KindNotAgnes = kind("not_agnes", "The address answers, but not as a server of da.", "Check the address.", CodeConfig)
	KindOpener   = kind("opener", "The desktop could not open the file.", "Open it by hand.", CodeUnexpected)
	KindRedirect = kind("redirect", "The server leads to another address.", "Log in at that address.", CodeConfig)
	KindState    = kind("state", "The server's state cannot be read or written.", "The operator looks at its disk or database.", CodeUnavailable)

	// Sources that fail for a while.

	KindCacheFull        = passing("cache_full", "The cache has no room now beside what other requests read.", "Try again.")
	KindChangedMeanwhile = passing("changed_meanwhile", "A file or object changed while it was read.", "Try again.")
	KindConnectionLost   = passing("connection_lost", "The connection broke.", "Try again.")
	KindDiskFull         = passing("disk_full", "The server's disk is full.", "The operator frees space.")
	KindNoAnswer         = passing("no_answer", "The source did not answer in time.", "Try again.")
	KindOutOfResources   = passing("out_of_resources", "The source has too little memory or too few workers now.", "Try again, or ask for less.")
	KindStrangeAnswer    = passing("strange_answer", "An object store contradicts itself.", "Try again.")
	KindTooManyFiles     = passing("too_many_files", "No more files can be opened now.", "Try again.")
	KindUnavailable      = passing("unavailable", "The source is not available.", "Try again later.")
	KindUnexpectedAnswer = passing("unexpected_answer", "The source answers what nobody expects.", "Try again.")
	KindUnreachable      = passing("unreachable", "The source cannot be reached.", "Try again; the operator checks the address.")

	// Sources that fail until somebody changes them, their rights, the request or the instance.

	KindAccessDenied      = kind("access_denied", "The source refuses the server access, or a person a machine.", "The operator gives it the rights.", CodeSource, CodeForbidden)
	KindBadColumn         = kind("bad_column", "A column has a name that no query can contain.", "Rename it at the source.", CodeSource)
	KindBadCredentials    = kind("bad_credentials", "The source refuses the credentials.", "The operator corrects them.", CodeSource)
	KindBadDSN            = kind("bad_dsn", "The database refuses a part of the address.", "The operator corrects the dsn.", CodeSource)
	KindBadPath           = kind("bad_path", "The name of the relation, or what is there, cannot be a table.", "Correct the path.", CodeSource, CodeBadRequest)
	KindCacheTooSmall     = kind("cache_too_small", "One request reads more than the cache can hold.", "Narrow it, or raise the cache's size.", CodeSource)
	KindCredentials       = kind("credentials", "There are no credentials that can be used.", "The operator sets them.", CodeSource)
	KindEngineCrashed     = kind("engine_crashed", "The statement crashed the engine's process.", "Change the statement: it would crash again.", CodeSource, CodeUnexpected)
	KindFunctionPath      = kind("function_path", "Names of functions may mean others than the engine's own.", "The operator corrects the search path.", CodeSource)
	KindNoBucket          = kind("no_bucket", "There is no such bucket.", "Correct its name.", CodeSource)
	KindNoDatabase        = kind("no_database", "There is no such database.", "Correct its name.", CodeSource)
	KindNoETags           = kind("no_etags", "The object store tells no versions of objects.", "Use a store that does.", CodeSource)
	KindNoFiles           = kind("no_files", "There are no files of the table.", "Put files there, or correct the path.", CodeSource)
	KindNoRelation        = kind("no_relation", "There is no such relation.", "Correct its name.", CodeSource)
	KindNotFound          = kind("not_found", "What the table names is not there.", "Correct its name.", CodeSource)
	KindOutsideRoot       = kind("outside_root", "A link leads outside of the root.", "Remove it.", CodeSource)
	KindPermissionDenied  = kind("permission_denied", "The source does not let the server read this.", "The operator gives it the rights.", CodeSource)
	KindTooWide           = kind("too_wide", "There are more columns than can be read.", "Select fewer, or divide the table.", CodeSource, CodeReadFailed, CodeValidation)
	KindUnlikeFiles       = kind("unlike_files", "The files do not form one table.", "Make their columns alike.", CodeSource)
	KindUnreadable        = kind("unreadable", "A file is broken, or may not be read.", "Repair it, or its permissions.", CodeSource, CodeReadFailed)
	KindUnsupportedServer = kind("unsupported_server", "The database is of a kind or release that is not read.", "Use one that is.", CodeSource, CodeConfig)

	// BigQuery and databases.

	KindBilledBytes     = kind("billed_bytes", "The query would be billed for more than it may.", "Narrow it.", CodeBudget)
	KindPartitionFilter = kind("partition_filter", "The table demands a predicate on its partition column.", "Add one.", CodeQueryFailed)
	KindRuledSample     = kind("ruled_sample", "A sample of a table with row rules cannot be read.", "Fetch a few rows instead.", CodeQueryFailed)
	KindSchemaChanged   = kind("schema_changed", "The table's columns changed while it was read.", "Try again.", CodeQueryFailed)
	KindTooComplex      = kind("too_complex", "The query takes more than the source gives one query.", "Simplify it.", CodeQueryFailed)
	KindUnreadableValue = kind("unreadable_value", "A value of a column cannot be read.", "Leave the column or the row out.", CodeQueryFailed)
	KindView            = kind("view", "A sample of the view cannot be read.", "Fetch a few rows instead.", CodeQueryFailed)
	KindWarehouseQuota  = kind("warehouse_quota", "The quota at the warehouse is used up.", "Try again later.", CodeQuota)
)

var kinds []KindOfError

func kind(name, means, next string, codes ...Code) string {
	kinds = append(kinds, KindOfError{Kind: name, Means: means, Next: next, Codes: codes})
	return name
}

// passing declares a kind of CodeSource that passes by itself.
func passing(name, means, next string) string {
	kinds = append(kinds, KindOfError{name, means, next, []Code{CodeSource}, true})
	return name
}

// KindsOfErrors lists the kinds by name.
func KindsOfErrors() []KindOfError {
	return slices.SortedFunc(slices.Values(kinds), func(a, b KindOfError) int { return cmp.Compare(a.Kind, b.Kind) })
}

// LastingKinds lists the kinds of CodeSource that are not retryable, sorted.
func LastingKinds() []string {
	var names []string
	for _, k := range KindsOfErrors() {
		if slices.Contains(k.Codes, CodeSource) && !k.passes {
			names = append(names, k.Kind)
		}
	}
	return names
}
