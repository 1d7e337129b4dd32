package shell

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/internal/words/shellwords"
	"github.com/agnes-data/da/statement"
)

// Word is one possible continuation of the input.
type Word struct {
	Text  string
	About string // a short description; can be empty
	group int    // index into groups
}

// groups are the headings of the suggestions, in order.
var groups = []string{"", "columns", "tables", "keywords", "functions"}

const (
	columnGroup = iota + 1
	tableGroup
	keywordGroup
	functionGroup
)

// Relation is something that a local statement can name.
type Relation struct {
	Name, About string
	Columns     []string // nil: unknown
}

// suggestions are words that may end a text, and the part of the word that has
// been typed already.
type suggestions struct {
	words []Word
	begun string
	space bool // add a space if there is only one word
}

// suggest uses the text before the cursor to find what comes next, and the whole
// text to find the tables it names.
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
	if r := ofDot(lexemes, relations, whole); r != nil {
		return suggestions{words: starting(begun, columnsOf([]Relation{*r})), begun: begun}
	}
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

// tableFollows reports whether a table name should come next.
func tableFollows(lexemes []statement.Lexeme) bool {
	listed := false // the last clause is FROM, whose items can be a list
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

// ofDot returns the relation whose columns follow a dot, by its name or by what the whole
// text calls it; nil: there is no dot, or what is before it is unknown.
func ofDot(lexemes []statement.Lexeme, relations []Relation, whole string) *Relation {
	n := len(lexemes)
	if n < 2 || lexemes[n-1].Text != "." {
		return nil
	}
	name, was := nameIn(lexemes[n-2]), -1
	for _, l := range statement.Lexemes(whole) {
		if l.Kind == statement.Space || l.Kind == statement.Comment || strings.EqualFold(l.Text, "AS") {
			continue
		}
		if was >= 0 && strings.EqualFold(nameIn(l), name) {
			return &relations[was]
		}
		was = slices.IndexFunc(relations, func(r Relation) bool { return strings.EqualFold(r.Name, nameIn(l)) })
		if was >= 0 && strings.EqualFold(nameIn(l), name) {
			return &relations[was]
		}
	}
	return nil
}

// nameIn is a name without its quotes.
func nameIn(l statement.Lexeme) string {
	if l.Kind == statement.Name {
		return strings.Trim(l.Text, `"`)
	}
	return l.Text
}

// named returns the relations that a text names; all of them if it names none.
func named(relations []Relation, text string) []Relation {
	var some []Relation
	for _, l := range statement.Lexemes(text) {
		i := slices.IndexFunc(relations, func(r Relation) bool { return strings.EqualFold(r.Name, nameIn(l)) })
		if i >= 0 {
			some = append(some, relations[i])
		}
	}
	if some == nil {
		return relations
	}
	return some
}

// columnsOf returns the columns of relations, without duplicate names.
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

// written returns a name as SQL accepts it, quoted if necessary.
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

// wordsOfSQL returns keywords and functions, in the case of the typed text.
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

// starting returns the words that begin with the typed text, ignoring case and
// duplicates. It skips words that cannot be shown unescaped.
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

// suggestForCommand completes the name of a backslash command, or its arguments.
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

// suggestForDa asks da's own completion.
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
