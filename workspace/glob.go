package workspace

import (
	"regexp"
	"strings"

	"github.com/agnes-data/da/api"
)

// Matcher returns a function that reports whether a name matches a glob pattern;
// see List.
func Matcher(pattern string) (func(name string) bool, error) { return glob(pattern) }

// glob returns a function that reports whether a name matches a pattern; see
// List.
func glob(pattern string) (func(name string) bool, error) {
	if pattern == "" {
		return func(string) bool { return true }, nil
	}
	var expr strings.Builder
	expr.WriteString("(?is)^")
	if !strings.Contains(pattern, "/") {
		expr.WriteString("(?:.*/)?")
	}
	for rest := key(pattern); rest != ""; {
		rest = oneOf(&expr, rest)
	}
	expr.WriteString("$")
	re, err := regexp.Compile(expr.String())
	if err != nil {
		return nil, &api.Error{Code: api.CodeUsage, Message: "the pattern '" + api.Clip(pattern, 80) + "' is not a glob pattern",
			Hint: "Patterns have * and ? within a folder, ** across folders, and sets such as [a-z].", Err: err}
	}
	return func(name string) bool { return re.MatchString(key(name)) }, nil
}

// oneOf writes the first element of a pattern as a regular expression and returns
// the rest of the pattern.
func oneOf(expr *strings.Builder, pattern string) (rest string) {
	switch {
	case strings.HasPrefix(pattern, "**/"):
		expr.WriteString("(?:.*/)?")
		return pattern[3:]
	case strings.HasPrefix(pattern, "**"):
		expr.WriteString(".*")
		return pattern[2:]
	case pattern[0] == '*':
		expr.WriteString("[^/]*")
		return pattern[1:]
	case pattern[0] == '?':
		expr.WriteString("[^/]")
		return pattern[1:]
	case pattern[0] == '[':
		end := strings.IndexByte(pattern[1:], ']')
		if end <= 0 {
			expr.WriteString("[") // which does not compile
			return ""
		}
		set := pattern[1 : end+1]
		expr.WriteString("[")
		if set[0] == '!' || set[0] == '^' {
			expr.WriteString("^")
			set = set[1:]
		}
		expr.WriteString(strings.NewReplacer(`\`, `\\`, "[", `\[`, "^", `\^`).Replace(set) + "]")
		return pattern[end+2:]
	}
	for i, r := range pattern {
		if i > 0 && strings.ContainsRune("*?[", r) {
			return literal(expr, pattern, i)
		}
	}
	return literal(expr, pattern, len(pattern))
}

func literal(expr *strings.Builder, pattern string, n int) (rest string) {
	expr.WriteString(regexp.QuoteMeta(pattern[:n]))
	return pattern[n:]
}
