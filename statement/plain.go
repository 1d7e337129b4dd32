package statement

import "strings"

// Plain reports whether a statement certainly selects just columns of one table,
// so that its result has as many rows as the table. It returns false if only a
// parser could tell.
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
