package house

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// doors are the folders that word steps for their users, and those of programs
// around them.
var doors = []string{"cli/", "toolbox/", "cmd/", "docs/", "internal/bench/", "internal/testing/", "build/"}

// spoken are the texts below the doors that name a command, a flag or a tool all
// the same, by the beginnings of their files' paths, each with its reason.
var spoken = map[string]string{
	"skills/skills.go":            "teaches agents the command line",
	"agent/box.go":                "says which tools a model is given",
	"agent/replace.go":            "says which tools a model is given",
	"agent/sets.go":               "says which tools a model is given",
	"agent/approved/":             "says which tools a model would call",
	"agent/hidden/":               "says what of the answers of tools a model is sent",
	"agent/receipt/":              "says which tools answer with rows",
	"agent/conversation/share.go": "says which answers of tools only name tables",
	"api/next.go":                 "actions are names of data",
	"api/admin.go":                "event types of stored audits",
	"web/bundle/":                 "runs another program",
	"document/ocr/":               "runs another program",
	"document/office/":            "runs another program",
	"server/core/catalog.go":      "fetch_via, a field of the HTTP API, is a command",
}

var (
	flagWord    = regexp.MustCompile(`--[a-z]`)
	commandWord = regexp.MustCompile(`\bda (?:admin|ask|catalog|chat|conversations|completion|demo|describe|disk-info|doctor|fetch|files|help|init|login|logout|mcp|open|query|quota|receipt|report|result|schema|serve|skills|snapshot|sync|table|version|where|whoami)\b`)
	toolName    = regexp.MustCompile(`\bName: "([a-z]+_[a-z_]+)", Title:`)
)

// TestOnlyDoorsNameCommands holds that what is below the doors suggests steps as
// data (api.Step): a message that names a command, a flag or a tool would be wrong
// at every other door.
func TestOnlyDoorsNameCommands(t *testing.T) {
	tools := toolNames(t)
	for _, f := range goFiles(t) {
		if f.test || f.generated || hasPrefix(f.path, doors) || exempt(f.path) {
			continue
		}
		eachText(t, f.ast, func(at token.Pos, text string) {
			for _, word := range []*regexp.Regexp{flagWord, commandWord, tools} {
				if found := word.FindString(text); found != "" {
					t.Errorf("%s: %q names %s: suggest an api.Step instead", f.fset.Position(at), text, found)
				}
			}
		})
	}
}

// riddles are forms that users had to read twice: "x is no y" for "x is not a y",
// "beats" for "overrides", "found out" for "detected".
var riddles = regexp.MustCompile(`(?:\b(\w+) )?\b(?:is|are) no (\w+)|\bbeats?\b|\bfound out\b`)

// TestMessagesAreInPlainWords holds that no text of the program has such a form.
func TestMessagesAreInPlainWords(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test || f.generated {
			continue
		}
		eachText(t, f.ast, func(at token.Pos, text string) {
			for _, found := range riddles.FindAllStringSubmatch(text, -1) {
				if !strings.EqualFold(found[1], "there") && found[2] != "longer" && found[2] != "more" {
					t.Errorf("%s: %q has %q", f.fset.Position(at), text, found[0])
				}
			}
		})
	}
}

// eachText calls do for the strings that are written in a file.
func eachText(t *testing.T, file *ast.File, do func(at token.Pos, text string)) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		do(literal.Pos(), text)
		return true
	})
}

// toolNames matches the names of tools that cannot be taken for other words.
func toolNames(t *testing.T) *regexp.Regexp {
	t.Helper()
	paths, err := filepath.Glob("toolbox/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range toolName.FindAllStringSubmatch(string(text), -1) {
			names = append(names, found[1])
		}
	}
	if len(names) < 15 {
		t.Fatalf("only %d tools have been found: %q", len(names), names)
	}
	return regexp.MustCompile(`\b(?:` + strings.Join(names, "|") + `)\b`)
}

func hasPrefix(path string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

func exempt(path string) bool {
	for prefix := range spoken {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}
