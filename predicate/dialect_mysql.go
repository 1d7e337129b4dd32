package predicate

import "strings"

// mySQL is MySQL in the form that MariaDB has.
func mySQL() *traits {
	return &traits{
		name: MySQL, title: "MariaDB",
		printing: printing{
			quoteIdent: func(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" },
			nullsFirst: nullsLast,
		},
	}
}
