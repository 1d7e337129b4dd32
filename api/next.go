package api

// Step is something that the reader of an error can do next. It is an action
// without wording: each door renders it as a command, a tool call or JSON.
type Step struct {
	Action Action `json:"action"`
	// Args are the arguments of the action, by the names in its comment. Their
	// values are strings, whole numbers, true, and lists of strings.
	Args map[string]any `json:"args,omitempty"`
	// Why completes "do this to …"; empty if the hint already says it.
	Why string `json:"why,omitempty"`
}

// Action is one of a closed list. To add one, add a constant here, a row in
// Actions, and a row in each door's table.
type Action string

// The actions, each with its arguments. Arguments of a scan are table_id, select,
// where, order_by and limit.
const (
	ActionCatalog      Action = "catalog"       // list tables: search
	ActionSchema       Action = "schema"        // show columns: table_id
	ActionSample       Action = "sample"        // show a few rows: table_id
	ActionWhere        Action = "where"         // check a predicate: table_id, where
	ActionEstimate     Action = "estimate"      // price a scan: those of a scan
	ActionFetch        Action = "fetch"         // make a snapshot: those of a scan, as, force
	ActionSync         Action = "sync"          // keep whole tables here: tables
	ActionSnapshots    Action = "snapshots"     // list snapshots
	ActionSnapshot     Action = "snapshot"      // show one: name
	ActionRefresh      Action = "refresh"       // fetch a snapshot again: name, server, instance, where, accept_drift
	ActionLearn        Action = "learn"         // expect of refreshes what the rows are like: name
	ActionDrop         Action = "drop"          // remove a snapshot: name
	ActionPrune        Action = "prune"         // remove old snapshots
	ActionImport       Action = "import"        // make a snapshot of a file: path, as, force
	ActionQuery        Action = "query"         // query snapshots: sql, fetch
	ActionQueryRemote  Action = "query_remote"  // query at the source: sql
	ActionResults      Action = "results"       // list kept results
	ActionDropResult   Action = "drop_result"   // remove one: name
	ActionMap          Action = "map"           // look into a file: path
	ActionQueryFile    Action = "query_file"    // query a file: path, sql
	ActionMetrics      Action = "metrics"       // list metrics
	ActionMetric       Action = "metric"        // show by what one can be asked: name
	ActionListSaved    Action = "list_saved"    // list saved questions
	ActionNotes        Action = "notes"         // list what people wrote of tables and terms
	ActionSaved        Action = "saved"         // show one: name
	ActionQuota        Action = "quota"         // show what is left
	ActionLogin        Action = "login"         // store a token: server, in_file
	ActionDiskUsage    Action = "disk_usage"    // show what takes disk space
	ActionInit         Action = "init"          // write an instance file: folder
	ActionListAdmin    Action = "list_admin"    // list what admins manage: what (user, group, token, grant, table)
	ActionCreateAdmin  Action = "create_admin"  // create one: what, name, admin
	ActionUnregister   Action = "unregister"    // remove a registered table: table_id
	ActionMoveState    Action = "move_state"    // move a server's state to PostgreSQL
	ActionRefreshTable Action = "refresh_table" // read a table's source again: table_id
	ActionFiles        Action = "files"         // list the workspace's files: pattern
	ActionPutFile      Action = "put_file"      // store a file of this machine in the workspace: path, as
	ActionImportFile   Action = "import_file"   // make a snapshot of one: file, as, force
	ActionReadFile     Action = "read_file"     // read one that has text, cells or pages: file
	ActionFileInfo     Action = "file_info"     // show what is known of one: file
	ActionFileVersions Action = "file_versions" // list the versions of one: file
	ActionRestoreFile  Action = "restore_file"  // bring back a deleted one: file
	ActionDrafts       Action = "drafts"        // list the drafts of the workspace
	ActionSet          Action = "set"           // change an option of this call: option, value
	ActionUnset        Action = "unset"         // leave out an option of this call: option
)

// The options that ActionSet names. Doors call them by their own names.
const (
	OptionSelect       = "select"
	OptionWhere        = "where"
	OptionOrderBy      = "order_by"
	OptionLimit        = "limit"
	OptionAs           = "as"
	OptionForce        = "force"
	OptionAllowCut     = "allow_cut"
	OptionFresh        = "fresh"
	OptionFetch        = "fetch"
	OptionExplain      = "explain"
	OptionStrict       = "strict"
	OptionMaxScanBytes = "max_scan_bytes"
	OptionTimeout      = "timeout"
	OptionMemoryLimit  = "memory_limit"
	OptionOut          = "out"
	OptionParam        = "param"
	OptionFormat       = "format"
	OptionDelimiter    = "delimiter"
	OptionEncoding     = "encoding"
	OptionDateFormat   = "date_format"
	OptionTypes        = "types"
	OptionNoHeader     = "no_header"
	OptionHeaderLine   = "header_line"
	OptionSheet        = "sheet"
	OptionPage         = "page"
	OptionServer       = "server"
	OptionInstance     = "instance"
	OptionTLS          = "tls"
	OptionInsecure     = "insecure"
	OptionListen       = "listen"
	// Of a refresh and of pruning.
	OptionAcceptDrift = "accept_drift"
	OptionOlderThan   = "older_than"
	OptionLargerThan  = "larger_than"
	OptionAuto        = "auto"
	OptionAll         = "all"
	OptionDryRun      = "dry_run"
	// Of files.
	OptionTargetFormat = "target_format"
	OptionRoot         = "root"
	OptionQuery        = "query"
	OptionTables       = "tables"
	OptionTarget       = "target"
	OptionRowStart     = "row_start"
	OptionRowCount     = "row_count"
	OptionWindowRows   = "window_rows"
	OptionWindowOffset = "window_offset"
	// Of plots.
	OptionPlot = "plot"
	OptionX    = "x"
	OptionY    = "y"
	OptionBy   = "by"
	OptionBins = "bins"
	// Of logins and skills.
	OptionName   = "name"
	OptionFolder = "folder"
)

// Text returns the argument of that name, if it is text.
func (s Step) Text(name string) string {
	text, _ := s.Args[name].(string)
	return text
}

// Texts returns the argument of that name if it is a list of strings, including
// one decoded from JSON.
func (s Step) Texts(name string) []string {
	switch v := s.Args[name].(type) {
	case []string:
		return v
	case []any:
		var texts []string
		for _, part := range v {
			if text, ok := part.(string); ok {
				texts = append(texts, text)
			}
		}
		return texts
	}
	return nil
}

// Do returns a step. args alternates between names and values of arguments.
func Do(action Action, why string, args ...any) Step {
	s := Step{Action: action, Why: why}
	for i := 0; i+1 < len(args); i += 2 {
		if s.Args == nil {
			s.Args = map[string]any{}
		}
		s.Args[args[i].(string)] = args[i+1]
	}
	return s
}

// Set returns the step "change this option of the call".
func Set(option, why string) Step { return Do(ActionSet, why, "option", option) }

// SetTo returns the step "set this option of the call to value".
func SetTo(option, value, why string) Step {
	return Do(ActionSet, why, "option", option, "value", value)
}

// Unset returns the step "leave out this option of the call".
func Unset(option, why string) Step { return Do(ActionUnset, why, "option", option) }
