package shell

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnes-data/da/internal/printable"
	"github.com/agnes-data/da/internal/shellwords"
	"github.com/agnes-data/da/statement"
)

// Word is one way to go on with what is typed.
type Word struct {
	Text  string
	About string // a few words, may be empty
	group int    // of groups
}

// groups are the headings of what is offered, in their order.
var groups = []string{"", "columns", "tables", "keywords", "functions"}

const (
	columnGroup = iota + 1
	tableGroup
	keywordGroup
	functionGroup
)

// Relation is something that a statement here can name.
type Relation struct {
	Name, About string
	Columns     []string // nil: unknown
}

// suggestions are words that may stand at the end of a text, and how much of the
// text they begin with.
type suggestions struct {
	words []Word
	begun string
	space bool // behind a word that is the only one
}

// suggest looks at what stands before the cursor, and at the whole text for the
// tables that it names.
func (s *session) suggest(before, whole string) suggestions {
	if command, rest, ok := backslash(before); ok {
		return s.suggestForCommand(command, rest)
	}
	lexemes := statement.Lexemes(before)
	begun := ""
	if n := len(lexemes); n > 0 {
		switch last := lexemes[n-1]; last.Kind {
		case statement.Text, statement.Comment, statement.Number:
			return suggestions{}
		case statement.Word:
			begun, lexemes = last.Text, lexemes[:n-1]
		}
	}
	relations := s.Relations()
	var words []Word
	if tableFollows(lexemes) {
		words = tablesOf(relations)
		return suggestions{words: starting(begun, words), begun: begun}
	}
	words = append(columnsOf(named(relations, whole)), tablesOf(relations)...)
	if begun != "" {
		words = append(words, wordsOfSQL(begun)...)
	}
	return suggestions{words: starting(begun, words), begun: begun}
}

func tablesOf(relations []Relation) (words []Word) {
	for _, r := range relations {
		words = append(words, Word{written(r.Name), r.About, tableGroup})
	}
	return words
}

// tableFollows reports whether the name of a table is what comes next.
func tableFollows(lexemes []statement.Lexeme) bool {
	listed := false // the last clause is FROM
	last := ""
	for _, l := range lexemes {
		if l.Kind == statement.Space || l.Kind == statement.Comment {
			continue
		}
		last = strings.ToUpper(l.Text)
		switch last {
		case "FROM", "JOIN":
			listed = true
		case "SELECT", "WHERE", "GROUP", "ORDER", "HAVING", "ON", "USING", "LIMIT", "QUALIFY", "WINDOW":
			listed = false
		}
	}
	return last == "FROM" || last == "JOIN" || last == "DESCRIBE" || last == "SUMMARIZE" || last == "," && listed
}

// named are the relations that a text names; all of them if it names none.
func named(relations []Relation, text string) []Relation {
	var some []Relation
	for _, l := range statement.Lexemes(text) {
		name := l.Text
		if l.Kind == statement.Name {
			name = strings.Trim(name, `"`)
		}
		i := slices.IndexFunc(relations, func(r Relation) bool { return strings.EqualFold(r.Name, name) })
		if i >= 0 {
			some = append(some, relations[i])
		}
	}
	if some == nil {
		return relations
	}
	return some
}

// columnsOf are the columns of relations, each name once.
func columnsOf(relations []Relation) (words []Word) {
	seen := map[string]bool{}
	for _, r := range relations {
		for _, c := range r.Columns {
			if !seen[c] {
				seen[c] = true
				words = append(words, Word{written(c), "of " + r.Name, columnGroup})
			}
		}
	}
	return words
}

// written is a name as SQL takes it.
func written(name string) string {
	plain := name != "" && !isKeyword(name) && !unicode.IsDigit(rune(name[0]))
	for _, r := range name {
		plain = plain && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	if plain {
		return name
	}
	return quote(name)
}

// wordsOfSQL are keywords and functions, in the case of what is typed.
func wordsOfSQL(begun string) (words []Word) {
	first, _ := utf8.DecodeRuneInString(begun)
	for word := range keywords() {
		if unicode.IsLower(first) {
			word = strings.ToLower(word)
		}
		words = append(words, Word{Text: word, group: keywordGroup})
	}
	for _, name := range statement.Functions() {
		words = append(words, Word{Text: name, group: functionGroup})
	}
	return words
}

// starting are the words that begin as typed, each once, of those that can be
// shown. Case does not count.
func starting(begun string, words []Word) (some []Word) {
	seen := map[string]bool{}
	for _, w := range words {
		if seen[w.Text] || len(w.Text) < len(begun) || !strings.EqualFold(w.Text[:len(begun)], begun) || printable.Line(w.Text) != w.Text {
			continue
		}
		seen[w.Text] = true
		w.About = printable.Line(w.About)
		some = append(some, w)
	}
	slices.SortStableFunc(some, func(a, b Word) int {
		return cmp.Or(cmp.Compare(a.group, b.group), strings.Compare(strings.ToLower(a.Text), strings.ToLower(b.Text)))
	})
	return some
}

// suggestForCommand completes the name of a backslash command, or what follows it.
func (s *session) suggestForCommand(command, rest string) suggestions {
	if rest == "" {
		var words []Word
		for _, c := range commands() {
			words = append(words, Word{Text: `\` + c.name, About: c.about})
		}
		for _, name := range s.Commands {
			words = append(words, Word{Text: `\` + name, About: "da " + name})
		}
		command = strings.TrimLeft(command, " \t")
		return suggestions{words: starting(command, words), begun: command, space: true}
	}
	name := strings.TrimLeft(command, " \t")[1:]
	if slices.Contains(s.Commands, name) {
		return s.suggestForDa(name, rest)
	}
	begun := rest[strings.LastIndexAny(rest, " \t")+1:]
	var words []Word
	for _, c := range commands() {
		if c.name == name && c.words != nil {
			words = c.words(s)
		}
	}
	return suggestions{words: starting(begun, words), begun: begun, space: true}
}

// suggestForDa asks the command of da itself.
func (s *session) suggestForDa(name, rest string) suggestions {
	words, err := shellwords.Split(rest)
	if err != nil {
		return suggestions{}
	}
	begun := ""
	if !strings.HasSuffix(rest, " ") && len(words) > 0 {
		begun, words = words[len(words)-1], words[:len(words)-1]
	}
	offered := s.Complete(append(append([]string{name}, words...), begun)...)
	return suggestions{words: starting(begun, offered), begun: begun, space: !strings.Contains(begun, ",")}
}
