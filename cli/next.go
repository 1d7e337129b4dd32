package cli

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/shellwords"
)

const scanWords = "fetch {table_id} --select={select} --where={where} --order-by={order_by} --limit={limit}"

// commands says how each action is written as a command. {name} is an argument
// of the step; a flag is left out where the step has no such argument.
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
	api.ActionRefresh:      "snapshot refresh {name} --server={server} --instance={instance}",
	api.ActionDrop:         "snapshot drop {name}",
	api.ActionPrune:        "snapshot prune --auto",
	api.ActionImport:       "snapshot import {path} --as={as} --force={force}",
	api.ActionQuery:        "query {sql}",
	api.ActionQueryRemote:  "query --remote {sql}",
	api.ActionResults:      "result list",
	api.ActionDropResult:   "result drop {name}",
	api.ActionMap:          "table map {path}",
	api.ActionQueryFile:    "table query {path} {sql}",
	api.ActionQuota:        "quota",
	api.ActionLogin:        "login {server}",
	api.ActionDiskUsage:    "disk-info",
	api.ActionInit:         "init {folder}",
	api.ActionListAdmin:    "admin {what} list",
	api.ActionCreateAdmin:  "admin {what} create {name} --admin={admin}",
	api.ActionUnregister:   "admin table unregister {table_id}",
	api.ActionRefreshTable: "admin table refresh {table_id}",
}

// placeholders stand for arguments that a step leaves to the reader.
var placeholders = map[string]string{
	"table_id": "TABLE", "name": "NAME", "path": "FILE", "sql": "SQL", "server": "URL", "folder": "FOLDER", "where": "PREDICATE",
}

// commandOf writes a step as a command to be copied into a shell; "" for ActionSet
// and for actions that are not known here, as a newer server may send them.
func commandOf(s api.Step) string {
	template, ok := commands[s.Action]
	if !ok {
		return ""
	}
	words := []string{"da"}
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
			words = append(words, argument(s, name)...)
		}
	}
	return shellwords.Join(words)
}

// argument writes one argument of a step. A list of columns is one word, a list of
// tables several.
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

// optionFlags are the flags that are not named as their option.
var optionFlags = map[string]string{
	api.OptionTLS:          "--tls-cert and --tls-key",
	api.OptionFormat:       "-o",
	api.OptionMaxScanBytes: "--max-scan-bytes (DA_MAX_SCAN_BYTES)",
	api.OptionServer:       "--server (DA_SERVER)",
	api.OptionInstance:     "--instance (DA_INSTANCE)",
}

// optionOf is how an option is given at the command line.
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

// longCommand is the length from which a command gets a line of its own.
const longCommand = 60

// sentenceOf words a step for people; "" if this program does not know it.
func sentenceOf(s api.Step) string {
	to := ""
	if s.Why != "" {
		to = " to " + s.Why
	}
	if s.Action == api.ActionSet {
		return "Pass " + optionOf(s) + to + "."
	}
	command := commandOf(s)
	switch {
	case command == "":
		return ""
	case len(command) > longCommand:
		return "Run this" + to + ":\n  " + command
	}
	return "Run '" + command + "'" + to + "."
}

// withNext returns e with its next steps as sentences of its hint.
func withNext(e *api.Error) *api.Error {
	if len(e.Next) == 0 {
		return e
	}
	told := *e
	for _, s := range e.Next {
		told.Hint = strings.TrimSpace(told.Hint + " " + sentenceOf(s))
	}
	return &told
}
