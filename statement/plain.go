package statement

import "strings"

// Plain reports whether a text is surely no more than columns of one table, each
// row once: so that the rows of the result are as many as those of the table. It
// says false where that would take a parser.
func Plain(text string) bool {
	tables, reading := 0, false
	for _, l := range Lexemes(text) {
		switch word := strings.ToUpper(l.Text); {
		case l.Kind == Space || l.Kind == Comment:
		case l.Text == "(" || l.Text == ";" || manyRows(word):
			return false
		case word == "FROM":
			tables++
			reading = true
		case word == "ORDER":
			reading = false
		case reading && l.Text == ",":
			return false // a second table
		}
	}
	return tables == 1
}

// manyRows reports whether a word makes rows more or fewer.
func manyRows(word string) bool {
	switch word {
	case "WHERE", "GROUP", "HAVING", "QUALIFY", "LIMIT", "OFFSET", "FETCH", "DISTINCT", "JOIN", "UNION", "EXCEPT", "INTERSECT",
		"SAMPLE", "TABLESAMPLE", "VALUES", "WITH", "PIVOT", "UNPIVOT", "DESCRIBE", "SUMMARIZE", "SHOW":
		return true
	}
	return false
}
