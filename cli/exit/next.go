package exit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/shellwords"
)

const scanWords = "fetch {table_id} --select={select} --where={where} --order-by={order_by} --limit={limit}"

// commands gives the command for each action. {name} is replaced by an argument
// of the step; a flag is left out if the step lacks its argument.
var commands = map[api.Action]string{
	api.ActionCatalog:      "catalog --search={search}",
	api.ActionSchema:       "schema {table_id}",
	api.ActionSample:       "describe {table_id}",
	api.ActionWhere:        "where {table_id} {where}",
	api.ActionEstimate:     scanWords + " --estimate",
	api.ActionFetch:        scanWords + " --as={as} --force={force}",
	api.ActionSync:         "sync {tables}",
	api.ActionSnapshots:    "snapshot list",
	api.ActionSnapshot:     "snapshot show {name}",
	api.ActionRefresh:      "snapshot refresh {name} --server={server} --instance={instance} --where={where} --accept-drift={accept_drift}",
	api.ActionLearn:        "check learn {name}",
	api.ActionDrop:         "snapshot drop {name}",
	api.ActionPrune:        "snapshot prune --auto",
	api.ActionImport:       "snapshot import {path} --as={as} --force={force}",
	api.ActionQuery:        "query --fetch={fetch} {sql}",
	api.ActionQueryRemote:  "query --remote {sql}",
	api.ActionResults:      "result list",
	api.ActionDropResult:   "result drop {name}",
	api.ActionMap:          "table map {path}",
	api.ActionQueryFile:    "table query {path} {sql}",
	api.ActionMetrics:      "metric list",
	api.ActionMetric:       "metric show {name}",
	api.ActionListSaved:    "saved list",
	api.ActionNotes:        "note list",
	api.ActionSaved:        "saved show {name}",
	api.ActionQuota:        "quota",
	api.ActionLogin:        "login {server} --in-file={in_file}",
	api.ActionDiskUsage:    "disk-info",
	api.ActionInit:         "init {folder}",
	api.ActionListAdmin:    "admin {what} list",
	api.ActionCreateAdmin:  "admin {what} create {name} --admin={admin}",
	api.ActionUnregister:   "admin table unregister {table_id}",
	api.ActionMoveState:    "admin state move",
	api.ActionRefreshTable: "admin table refresh {table_id}",
	api.ActionFiles:        "files list {pattern}",
	api.ActionPutFile:      "files put {path} --as={as}",
	api.ActionImportFile:   "files import {file} --as={as} --force={force}",
	api.ActionReadFile:     "files read {file}",
	api.ActionFileInfo:     "files info {file}",
	api.ActionFileVersions: "files versions {file}",
	api.ActionRestoreFile:  "files restore {file}",
	api.ActionDrafts:       "files draft list",
}

// placeholders replace arguments that the reader has to fill in.
var placeholders = map[string]string{
	"table_id": "TABLE", "name": "NAME", "path": "FILE", "sql": "SQL", "server": "URL", "folder": "FOLDER", "file": "FILE",
	"where": "PREDICATE",
}

// CommandOf writes a step as a command that can be pasted into a shell. It
// returns "" for ActionSet, and for unknown actions, which a newer server may
// send.
func CommandOf(s api.Step) string {
	template, ok := commands[s.Action]
	if !ok {
		return ""
	}
	words := []string{"da"}
	var behind []string // what follows "--", since a word with a dash would be a flag
	for _, word := range strings.Fields(template) {
		before, rest, isArg := strings.Cut(word, "{")
		if !isArg {
			words = append(words, word)
			continue
		}
		name := strings.TrimSuffix(rest, "}")
		flag, isFlag := strings.CutSuffix(before, "=")
		value, given := s.Args[name]
		switch {
		case isFlag && !given:
		case isFlag && value == true:
			words = append(words, flag)
		case isFlag:
			words = append(append(words, flag), argument(s, name)...)
		default:
			for _, operand := range argument(s, name) {
				if behind != nil || operand != "-" && strings.HasPrefix(operand, "-") {
					behind = append(behind, operand)
				} else {
					words = append(words, operand)
				}
			}
		}
	}
	if behind != nil {
		words = append(append(words, "--"), behind...)
	}
	return shellwords.Join(words)
}

// argument writes one argument of a step. A list of columns becomes one word, a
// list of tables several.
func argument(s api.Step, name string) []string {
	value, given := s.Args[name]
	texts := s.Texts(name)
	switch {
	case !given && placeholders[name] != "":
		return []string{placeholders[name]}
	case !given:
		return nil
	case texts != nil && name == "tables":
		return texts
	case texts != nil:
		return []string{strings.Join(texts, ",")}
	}
	return []string{fmt.Sprint(value)}
}

// optionFlags lists the flags whose names differ from their options.
var optionFlags = map[string]string{
	api.OptionTLS:          "--tls-cert and --tls-key",
	api.OptionFormat:       "-o",
	api.OptionMaxScanBytes: "--max-scan-bytes (DA_MAX_SCAN_BYTES)",
	api.OptionServer:       "--server (DA_SERVER)",
	api.OptionInstance:     "--instance (DA_INSTANCE)",
	api.OptionTargetFormat: "--format",
	api.OptionRoot:         "--root (DA_ROOT)",
	api.OptionTables:       "--table",
	api.OptionRowStart:     "--start",
	api.OptionRowCount:     "--count",
	api.OptionFolder:       "--dir",
}

// optionOf returns how an option is given on the command line.
func optionOf(s api.Step) string {
	option := s.Text("option")
	flag := optionFlags[option]
	if flag == "" {
		flag = "--" + strings.ReplaceAll(option, "_", "-")
	}
	if value := s.Text("value"); value != "" {
		flag += " " + shellwords.Quote(value)
	}
	return flag
}

// longCommand is the length at which a command gets a line of its own. So does any
// command with quotes, because a sentence puts quotes around it.
const longCommand = 60

// sentences words steps for people. Options with the same purpose share a
// sentence; steps unknown to this program are left out.
func sentences(next []api.Step) []string {
	var all []string
	if slices.ContainsFunc(next, func(s api.Step) bool { return s.Action == api.ActionSet && s.Text("option") == "fetch" }) {
		// Such an error says the cost itself.
		next = slices.DeleteFunc(slices.Clone(next), func(s api.Step) bool { return s.Action == api.ActionEstimate })
	}
	for i := 0; i < len(next); i++ {
		s, to := next[i], ""
		if s.Why != "" {
			to = " to " + s.Why
		}
		switch command := CommandOf(s); {
		case s.Action == api.ActionSet, s.Action == api.ActionUnset:
			flags := optionOf(s)
			for ; i+1 < len(next) && next[i+1].Action == s.Action && next[i+1].Why == s.Why; i++ {
				flags += " or " + optionOf(next[i+1])
			}
			verb := "Pass "
			if s.Action == api.ActionUnset {
				verb = "Leave out "
			}
			all = append(all, verb+flags+to+".")
		case command == "":
		case len(command) > longCommand, strings.Contains(command, "'"):
			all = append(all, "Run this"+to+":\n  "+command)
		default:
			all = append(all, "Run '"+command+"'"+to+".")
		}
	}
	return all
}

// WithNext returns e with its next steps added to its hint as sentences.
func WithNext(e *api.Error) *api.Error {
	worded := *e
	worded.Hint = e.Advice()
	afterCommand := false
	for _, sentence := range sentences(e.Next) {
		space := " "
		if afterCommand {
			space = "\n"
		}
		worded.Hint = strings.TrimSpace(worded.Hint + space + sentence)
		afterCommand = !strings.HasSuffix(sentence, ".")
	}
	return &worded
}

// Word adds the steps of caveats to their texts, in place. A caveat is one line,
// however long its command is.
func Word(caveats []api.Caveat) []api.Caveat {
	for i := range caveats {
		n := &caveats[i]
		for _, sentence := range sentences(n.Next) {
			sentence = strings.Replace(sentence, ":\n  ", ": ", 1)
			n.Text += "; " + strings.ToLower(sentence[:1]) + strings.TrimSuffix(sentence[1:], ".")
		}
		n.Next = nil
	}
	return caveats
}
