package text

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/agnes-data/da/api"
)

// The bounds of a search.
const (
	DefaultMatches = 100
	mostMatches    = 1000
	mostContext    = 20
	// longestLine is how much of a line is searched, in bytes.
	longestLine = 1 << 20
	// shownLine is how much of a line is shown, in letters.
	shownLine = 500
)

// SearchOptions say what to search for.
type SearchOptions struct {
	Pattern    string // RE2 syntax
	IgnoreCase bool
	Context    int    // lines before and after each match; at most 20
	Max        int    // matches to return; 0: DefaultMatches; at most 1,000
	Encoding   string // "": detected
}

// Match is a line that matches.
type Match struct {
	Line    int64    `json:"line"`
	Content string   `json:"content"`
	Before  []string `json:"before,omitempty"`
	After   []string `json:"after,omitempty"`
}

// Found is the result of a search.
type Found struct {
	Matches []Match `json:"matches"`
	// Total counts all lines that match; Truncated says that some are not shown.
	Total      int64 `json:"total_matches"`
	TotalLines int64 `json:"total_lines"`
	Truncated  bool  `json:"truncated"`
	// LongLines counts the lines that were too long: only their first MiB was
	// searched.
	LongLines int64 `json:"long_lines,omitempty"`
}

// Search finds the lines that match. A pattern that is not RE2 is CodeUsage.
func Search(r io.ReaderAt, size int64, o SearchOptions) (*Found, error) {
	f, err := Detect(r, o.Encoding)
	if err != nil {
		return nil, err
	}
	expr := o.Pattern
	if o.IgnoreCase {
		expr = "(?i)" + expr // not "(?i:…)", since \Q may quote all that follows
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, &api.Error{Code: api.CodeUsage, Kind: api.KindPattern,
			Message: "the pattern is not a regular expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "),
			Hint:    "Patterns are RE2, as in 'total.*[0-9]+'. Put a backslash before characters such as ( and * to find them.", Err: err}
	}
	if o.Max <= 0 {
		o.Max = DefaultMatches
	}
	s := search{Found: Found{Matches: []Match{}}, format: f, pattern: re, most: min(o.Max, mostMatches),
		context: min(max(o.Context, 0), mostContext)}
	if f.small == nil {
		s.required = requiredBy(expr)
		prefix, complete := re.LiteralPrefix()
		s.literal = complete && prefix != "" && prefix == string(s.required.text)
	}
	s.TotalLines, err = eachPart(f.reader(io.NewSectionReader(r, 0, size)), s.part)
	if s.begun > 0 {
		s.flush(s.begun)
	}
	s.Truncated = s.Total > int64(len(s.Matches))
	return &s.Found, err
}

// search is one on its way.
type search struct {
	Found
	format        Format
	pattern       *regexp.Regexp
	required      required
	literal       bool // the pattern is just the required text
	most, context int

	line   []byte // the line that is being collected
	begun  int64  // number of that line; 0: none
	before []string
}

func (s *search) part(n int64, part []byte, end bool) error {
	if end && len(s.line) == 0 {
		s.searchLine(n, part)
		return nil
	}
	s.line = append(s.line, part[:min(len(part), longestLine-len(s.line))]...)
	s.begun = n
	if end {
		s.flush(n)
	}
	return nil
}

func (s *search) flush(n int64) {
	if len(s.line) == longestLine {
		s.LongLines++
	}
	s.searchLine(n, s.line)
	s.line, s.begun = s.line[:0], 0
}

// searchLine searches a complete line.
func (s *search) searchLine(n int64, line []byte) {
	line = bytes.TrimRight(line, "\r\n")
	var matches bool
	switch {
	case s.format.small != nil:
		matches = s.pattern.Match([]byte(s.format.show(line)))
	default:
		matches = s.required.matches(line) && (s.literal || s.pattern.Match(line))
	}
	if matches {
		s.Total++
	}
	take := matches && len(s.Matches) < s.most
	if !take && s.context == 0 {
		return
	}
	shown := api.Clip(s.format.show(line[:min(len(line), 4*shownLine)]), shownLine)
	for i := len(s.Matches) - 1; i >= 0 && n <= s.Matches[i].Line+int64(s.context); i-- {
		s.Matches[i].After = append(s.Matches[i].After, shown)
	}
	if take {
		s.Matches = append(s.Matches, Match{Line: n, Content: shown, Before: append([]string(nil), s.before...)})
	}
	if s.context > 0 {
		if len(s.before) == s.context {
			s.before = s.before[1:]
		}
		s.before = append(s.before, shown)
	}
}
