package toolbox

import "testing"

func TestInTools(t *testing.T) {
	for text, want := range map[string]string{
		"Run 'da query --remote \"SELECT 1\"' or 'da query'.": "Run 'query_remote \"SELECT 1\"' or 'query'.",
		"Pass --force, or da snapshot refresh late":           "Pass force, or snapshot_refresh late",
		"da snapshot list, da snapshot prune":                 "snapshot_list, snapshot_drop",
		"allow more with --memory-limit and --timeout":        "allow more with memory_limit and timeout_seconds",
		"Agnes da fetches; adda fetch; a--b; 5 -- 3":          "Agnes da fetches; adda fetch; a--b; 5 -- 3",
		"name one with --instance":                            "name one with --instance",
		"set DA_TOKEN with 'da login URL'":                    "set DA_TOKEN with 'da login URL'",
	} {
		if got := inTools(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestEveryCommandHasItsTool holds that the words of the command line lead to
// tools that there are.
func TestEveryCommandHasItsTool(t *testing.T) {
	there, taken := map[string]bool{}, map[string]bool{}
	for _, tool := range tools() {
		there[tool.name], taken[tool.name] = true, true
		for name := range tool.in.Properties {
			taken[name] = true
		}
	}
	for flag, name := range spokenFlags {
		if !taken[name] {
			t.Errorf("--%s is said to be %s, which no tool takes", flag, name)
		}
	}
	for _, c := range commands {
		if !there[c.tool] {
			t.Errorf("%s is said to be %s, which is no tool", c.command, c.tool)
		}
	}
}
