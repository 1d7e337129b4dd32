package predicate

// postgreSQL is PostgreSQL.
func postgreSQL() *traits {
	return &traits{
		name: Postgres, title: "PostgreSQL", parsed: true,
		lexing: lexing{
			digitSeparators: true, unicodeNames: true, dollarNames: true,
			stringPrefixes: "e x b n u&", dollarStrings: true, unicodeEscapes: true,
		},
		grammar: grammar{
			reserved: set(`all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create current_catalog
				current_date current_role current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch
				for foreign from grant group having in initially intersect into lateral leading limit localtime localtimestamp not null offset on only or
				order placing primary references returning select session_user some symmetric table then to trailing true union unique user using
				variadic when where window with authorization binary collation concurrently cross current_schema freeze full ilike inner is isnull join
				left like natural notnull outer overlaps right similar tablesample verbose`),
			clockWords: set(`current_date current_timestamp current_time localtime localtimestamp`),
			typedLiterals: map[string]Type{
				"date": kindOf(KindDate), "time": kindOf(KindTime), "timestamp": kindOf(KindDateTime), "timestamptz": kindOf(KindTimestamp),
				"uuid": kindOf(KindUUID),
			},
			concatOperators: "|| ^@", productOperators: "* / %", regexpOperators: "~ !~ ~* !~* ~~ !~~ ~~* !~~*",
			castOperator: true, atTimeZone: true, collateC: true,
			postfixNull: true, isUnknown: true, ilike: true, escapeClause: true, anyList: true, betweenSymmetric: true,
			keywordArguments: true, partsAsText: true, zonedTypes: true, listSuffix: true,
			intervalText: true,
			operatorHints: map[string]string{
				"regexp": "Write x ~ 'pattern'.", "rlike": "Write x ~ 'pattern'.",
				"//": "The operator / on whole numbers already drops the remainder.",
			},
			subscriptForm: "[n]", subscriptHint: "Write arr[1] for the first element.",
		},
		printing: printing{quoteIdent: doubleQuoted, nullsFirst: nullsAreHighest},
	}
}
