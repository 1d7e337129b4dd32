package duckdb

import (
	"strings"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

var (
	// advising matches the start of a sentence with advice.
	advising = lazyregexp.New(`^(\* |Use |Try |Please |Consider |Alternatively|To |Or |You can |If |When |It is possible |DuckDB may |An error occurred while trying to |(SET|PRAGMA|INSTALL|LOAD|FORCE INSTALL) )`)
	// setting matches advice that users of da cannot follow: settings, extensions, and
	// options of the functions that read files.
	setting = lazyregexp.New(`\b(SET|PRAGMA|INSTALL|LOAD) +[a-z'%<]|\b(ignore_errors|auto_detect|union_by_name|sample_size|buffer_size|maximum_object_size|maximum_depth|max_line_size|null_padding|strict_mode|files_to_sniff|all_varchar|parallel|records|format|filename|encoding|compression|types|allow_parser_override_extension)['"]? ?=|['"](maximum_object_size|sample_size|auto_detect|records)['"]|reinstall|installing|enabl(e|ing) autoinstall|temp_directory`)
	// solutions matches the start of a list of advice, with an item after each
	// star.
	solutions = lazyregexp.New(`^Possible (fixes|solutions?):`)
	// nearest matches what Candidates has.
	nearest = lazyregexp.New(`(^| )(Candidate bindings: .*$|Did you mean "[^"]*"( or "[^"]*")*\?)`)
	// inMemory is the schema of all names here.
	inMemory = lazyregexp.New(`"memory\.main\.([^"]+)"`)
	sentence = lazyregexp.New(`.+?(?:[.!?]+(?:\s+|$)|$)`)
)

// unadvised returns a message without advice that users of da cannot follow, such
// as to change a setting of the engine, and without candidates if they are known
// separately. Quoted values stay complete.
func (e *Error) unadvised() string {
	lines := strings.Split(e.Message, "\n")
	kept := lines[:0]
	listing := false
	for i, line := range lines {
		line = inMemory().ReplaceAllString(line, `"$1"`)
		if len(e.Candidates) > 0 {
			line = nearest().ReplaceAllString(line, "")
		}
		text := strings.TrimSpace(line)
		listing = solutions().MatchString(text) || listing && strings.HasPrefix(text, "* ")
		if listing || i > 0 && text == "" && strings.TrimSpace(lines[i]) != "" {
			continue
		}
		if e.Type == "Conversion" && i == 0 {
			kept = append(kept, line) // it quotes a value
			continue
		}
		if said := sentences(line, i == 0); said != "" || text == "" {
			kept = append(kept, said)
		}
	}
	return strings.TrimRight(strings.Join(kept, "\n"), " \n")
}

// sentences is a line without the sentences that advise to change a setting.
func sentences(line string, first bool) string {
	var b strings.Builder
	for i, s := range sentence().FindAllString(line, -1) {
		begins := strings.TrimLeft(s, ` "'`)
		if !(first && i == 0) && advising().MatchString(begins) && setting().MatchString(s) {
			continue
		}
		b.WriteString(s)
	}
	return strings.TrimRight(b.String(), " ")
}
